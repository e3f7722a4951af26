import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { KnownBot } from './bot-watch.ts';
import type { AppActions } from './menu.ts';
import { type TrayWords, trayWords } from './tray-words.ts';

/** Bots named in the menu; the fleet page shows the others. */
const MOST_NAMED = 5;

export interface TrayIcons {
  readonly usual: string;
  readonly failing: string;
}

/** The icon beside the clock: how many bots fail, and the way back to the window. */
export class AppTray {
  readonly #tray: Tray;
  readonly #icons: { readonly usual: Electron.NativeImage; readonly failing: Electron.NativeImage };
  readonly #actions: AppActions;
  #shown = '';

  constructor(icons: TrayIcons, actions: AppActions) {
    this.#icons = {
      usual: nativeImage.createFromPath(icons.usual),
      failing: nativeImage.createFromPath(icons.failing),
    };
    this.#actions = actions;
    this.#tray = new Tray(this.#icons.usual);
    this.#tray.on('click', () => actions.open());
    this.update([], false);
  }

  update(bots: readonly KnownBot[], isHere: boolean): void {
    const words = trayWords(bots, isHere);
    const template = this.#template(words);
    // Setting the menu closes an open one, so only changes set it.
    const shown = JSON.stringify([words.summary, template]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setImage(words.failing.length === 0 ? this.#icons.usual : this.#icons.failing);
    this.#tray.setToolTip(`Bot Platform: ${words.summary}`);
    if (process.platform === 'darwin') {
      this.#tray.setTitle(words.failing.length === 0 ? '' : String(words.failing.length));
    }
    this.#tray.setContextMenu(Menu.buildFromTemplate(template));
  }

  #template({ failing, stoppable, summary }: TrayWords): MenuItemConstructorOptions[] {
    const actions = this.#actions;
    const named = failing.slice(0, MOST_NAMED).map(({ bot_id, name }) => ({
      id: bot_id,
      // A single & would underline the letter behind it.
      label: `${name.replaceAll('&', '&&')} is failing`,
      click: () => actions.open(`/bots/${bot_id}`),
    }));
    return [
      { label: summary, enabled: false },
      ...named,
      { type: 'separator' },
      { id: 'open', label: 'Open Bot Platform', click: () => actions.open() },
      { id: 'stop-all', label: 'Stop all bots…', enabled: stoppable > 0, click: () => actions.stopAll() },
      { id: 'quit', label: actions.quitWords(), click: () => actions.quit() },
    ];
  }
}
