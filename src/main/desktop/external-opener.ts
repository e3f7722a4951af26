import { type BrowserWindow, clipboard, dialog, type MessageBoxOptions, shell } from 'electron';
import { errorText } from '../../node/system-error.ts';
import { ask } from './ask.ts';
import { installLinkOf } from './assistant-install-link.ts';
import { originOf } from './origin.ts';
import { isTrustedLink } from './trusted-link.ts';

/** Most of an address that a question shows. */
const SHOWN = 500;
const YES = 0;
const NO = 1;

/** The one way from a page to other programs of this machine. */
export class ExternalOpener {
  readonly #origin: () => string | null;
  readonly #window: () => BrowserWindow | null;
  #asking = false;

  constructor(origin: () => string | null, window: () => BrowserWindow | null) {
    this.#origin = origin;
    this.#window = window;
  }

  /**
   * Handles a link out of the window: opens a known one, asks before it starts another program, and shows any other
   * address. One question at a time, so that a page cannot pile them up.
   */
  async leave(address: string): Promise<void> {
    const origin = this.#origin();
    // The browser opens further windows of the dashboard.
    const isOwn = origin !== null && originOf(address) === origin;
    if (isOwn || isTrustedLink(address)) return shell.openExternal(address);
    if (this.#asking) return;
    this.#asking = true;
    try {
      const install = installLinkOf(address, origin);
      if (install === null) await this.#refuse(address);
      else await this.#install(install.program, install.link, origin ?? '');
    } finally {
      this.#asking = false;
    }
  }

  /** Opens an address that the host itself has given. */
  async openInBrowser(address: string): Promise<void> {
    await shell.openExternal(address);
  }

  async #install(program: string, link: string, origin: string): Promise<void> {
    const yes = await this.#ask({
      type: 'question',
      message: `Open ${program}?`,
      detail: `The link adds this host (${origin}) to the servers of ${program}. It carries no key: the key that you enter there decides what ${program} may do.`,
      buttons: [`Open ${program}`, 'Cancel'],
    });
    if (!yes) return;
    try {
      await shell.openExternal(link);
    } catch (error) {
      const detail = `${errorText(error)}\n\nIs it installed on this machine? The page shows what to put into its file by hand.`;
      dialog.showErrorBox(`${program} could not be opened`, detail);
    }
  }

  async #refuse(address: string): Promise<void> {
    const shown = address.length > SHOWN ? `${address.slice(0, SHOWN)}…` : address;
    const copy = await this.#ask({
      type: 'info',
      message: 'This link is not opened',
      detail: `It leads outside of Bot Platform, to an address that the app does not know. Open it yourself if you trust it:\n\n${shown}`,
      buttons: ['Copy the address', 'Close'],
    });
    if (copy) clipboard.writeText(address);
  }

  async #ask(question: MessageBoxOptions): Promise<boolean> {
    return (await ask(this.#window(), { ...question, defaultId: NO, cancelId: NO })) === YES;
  }
}
