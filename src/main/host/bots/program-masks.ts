import type { Telemetry } from '../logs/telemetry-types.ts';

interface Known {
  readonly telemetry: Pick<Telemetry, 'openBot'>;
  readonly botId: string;
  /** Secret values of the run. */
  readonly secrets: readonly string[];
  /** Those of other programs of the bot, whose lines may still come. */
  readonly before: readonly string[];
}

/** What is masked in the output of a bot whose program is about to start. */
export class ProgramMasks {
  readonly #known: Known;
  #added: readonly string[] = [];

  constructor(known: Known) {
    this.#known = known;
  }

  /** Secret values of the run, with what was added. */
  get secrets(): readonly string[] {
    return [...new Set([...this.#known.secrets, ...this.#added])];
  }

  /** What the program gets beside the secrets of its config. */
  get added(): readonly string[] {
    return this.#added;
  }

  /** Masks all of them from now on. */
  async open(): Promise<void> {
    const { telemetry, botId, before } = this.#known;
    await telemetry.openBot(botId, [...new Set([...this.secrets, ...before])]);
  }

  /** Masks one more from now on. */
  async add(value: string): Promise<void> {
    const isMasked = this.#known.secrets.includes(value);
    this.#added = [...this.#added, value];
    if (!isMasked) await this.open();
  }
}
