import type { MessageBoxOptions } from 'electron';
import type { KnownBot } from './bot-watch.ts';
import type { HostSupervisor } from './host-supervisor.ts';
import { quitQuestion } from './quit-question.ts';
import type { MainWindow } from './window.ts';

export interface QuittingParts {
  readonly supervisor: Pick<HostSupervisor, 'host' | 'isOwn' | 'close'>;
  readonly window: Pick<MainWindow, 'say' | 'destroy'>;
  /** Asks the person and returns the number of the button. */
  ask(question: MessageBoxOptions): Promise<number>;
  /** True if bots keep running after an end without a question. */
  readonly leaveBots: boolean;
  /** The bots of the host; null while they are not known. */
  bots(): readonly KnownBot[] | null;
  /** Called when the end has begun: nothing follows the host any more. */
  ending(): void;
  /**
   * Ends the process. `mayInstall`: a person has ended it, and the host has ended with its bots, so that nothing of the app
   * is in use any more.
   */
  end(mayInstall: boolean): void;
}

const STOP = 0;
const LEAVE = 1;
const CANCEL = 2;

/** The end of the app: it first asks what happens to bots, and shows the progress. */
export class Quitting {
  readonly #parts: QuittingParts;
  #asking = false;
  #decided = false;
  #over = false;

  constructor(parts: QuittingParts) {
    this.#parts = parts;
  }

  /** True once the app is ending and nothing delays it any more. */
  get isDecided(): boolean {
    return this.#decided;
  }

  /** True once the host has ended too, so that the process may end. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Ends without a question, as a host in a terminal does: the system, or a terminal, ends the app. */
  now(): void {
    void this.#end(this.#parts.leaveBots, false);
  }

  /** Ends the host, none of whose bots runs, and the app. False when the person stays with unsaved changes. */
  async idle(): Promise<boolean> {
    if (this.#asking || this.#decided) return false;
    this.#asking = true;
    try {
      if (!(await this.#sayGoodbye(STOP))) return false;
      await this.#end(false, true);
      return true;
    } finally {
      this.#asking = false;
    }
  }

  /** Asks what to do with bots, if there is anything to ask, and ends the app. */
  async ask(): Promise<void> {
    if (this.#asking || this.#decided) return;
    this.#asking = true;
    try {
      const answer = await this.#answer();
      if (answer === CANCEL || !(await this.#sayGoodbye(answer))) return;
      await this.#end(answer === LEAVE, answer === STOP);
    } finally {
      this.#asking = false;
    }
  }

  async #answer(): Promise<number> {
    const { supervisor, bots } = this.#parts;
    // A host that was started elsewhere goes on as it is.
    const question = supervisor.isOwn ? quitQuestion(bots()) : null;
    if (question === null) return STOP;
    const options: MessageBoxOptions = {
      type: 'question',
      ...question,
      buttons: [...question.buttons],
      defaultId: CANCEL,
      cancelId: CANCEL,
    };
    return this.#parts.ask(options);
  }

  /** False when the person stays with unsaved changes. */
  #sayGoodbye(answer: number): Promise<boolean> {
    const { supervisor, window } = this.#parts;
    if (!supervisor.isOwn) {
      const goesOn = supervisor.host === null ? 'No host is running. Bots that run go on.' : 'The host goes on.';
      return window.say({ title: 'Closing', text: goesOn, actions: [] });
    }
    const text = answer === LEAVE ? 'The host is stopping; bots go on.' : 'The host and its bots are stopping.';
    return window.say({ title: 'Quitting', text, actions: [] });
  }

  async #end(leaveBots: boolean, mayInstall: boolean): Promise<void> {
    if (this.#decided) return;
    this.#decided = true;
    const { supervisor, window } = this.#parts;
    this.#parts.ending();
    const inOrder = await supervisor.close(leaveBots);
    window.destroy();
    this.#over = true;
    this.#parts.end(mayInstall && inOrder);
  }
}
