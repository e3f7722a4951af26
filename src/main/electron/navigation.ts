import { app, type WebContents } from 'electron';
import { isTrustedLink } from './external-link.ts';
import { originOf } from './origin.ts';

export interface NavigationRules {
  /** Origin of the dashboard now; null while there is none. */
  origin(): string | null;
  /** True when the address was a command of the window's own status page, and is done with. */
  command(contents: WebContents, address: string): boolean;
  openOutside(address: string): void;
  /** Shows an address that is not opened, so that a person can judge it. */
  refuse(address: string): void;
}

/**
 * Locks every page of the app to the dashboard: no other origin, no second window, no embedded view. Links to known sites
 * go to the system's browser.
 */
export function lockNavigation(rules: NavigationRules): void {
  const isInside = (address: string): boolean => {
    const origin = rules.origin();
    return origin !== null && originOf(address) === origin;
  };
  const leave = (address: string): void => {
    if (isTrustedLink(address)) rules.openOutside(address);
    else rules.refuse(address);
  };
  app.on('web-contents-created', (_event, contents) => {
    const onNavigate = (event: { readonly url: string; preventDefault(): void }): void => {
      if (isInside(event.url)) return;
      event.preventDefault();
      if (!rules.command(contents, event.url)) leave(event.url);
    };
    contents.on('will-navigate', onNavigate);
    contents.on('will-redirect', onNavigate);
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame && !isInside(event.url)) event.preventDefault();
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      leave(url);
      return { action: 'deny' };
    });
  });
}
