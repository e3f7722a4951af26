import { app } from 'electron';
import { originOf } from './origin.ts';
import { isStatusPage } from './status-page.ts';

export interface NavigationRules {
  /** Present origin of the dashboard; null while there is none. */
  origin(): string | null;
  /** Carries out the command of an address on the window's own status page; false if the address is no command. */
  command(address: string): boolean;
  /** Called when a page wants to go elsewhere; the page itself stays. */
  leave(address: string): void;
}

type Navigation = { readonly url: string; preventDefault(): void };

/**
 * Locks every page of the app to the dashboard: no other origin, no second window, no webview.
 */
export function lockNavigation(rules: NavigationRules): void {
  const isInside = (address: string): boolean => {
    const origin = rules.origin();
    return origin !== null && originOf(address) === origin;
  };
  app.on('web-contents-created', (_event, contents) => {
    const onNavigate = (event: Navigation): void => {
      if (isInside(event.url)) return;
      event.preventDefault();
      // A text of a bot may hold such an address, too: the dashboard gives no commands.
      if (isStatusPage(contents.getURL()) && rules.command(event.url)) return;
      rules.leave(event.url);
    };
    contents.on('will-navigate', onNavigate);
    contents.on('will-redirect', onNavigate);
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame && !isInside(event.url)) event.preventDefault();
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      rules.leave(url);
      return { action: 'deny' };
    });
  });
}
