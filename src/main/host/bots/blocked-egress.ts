import { toTimestamp } from '../../../contract/common.ts';
import type { Refusal } from '../../../gate/bot-gate.ts';
import type { BotStore } from '../control/bot-store.ts';
import type { HostMasking } from '../gate/host-masking.ts';
import type { Journal } from './journal.ts';

const HOUR_MS = 3_600_000;
/** Most destinations of one bot of which its history tells in an hour. */
const MOST_AN_HOUR = 10;

interface BlockedEgressDeps {
  readonly bots: Pick<BotStore, 'get'>;
  readonly journal: Pick<Journal, 'change'>;
  readonly warn: (botId: string, text: string) => void;
  /** What masks texts with names that a bot has asked for: one may hold a secret of the bot. */
  readonly masker: (botId: string) => HostMasking;
  readonly onError: (where: string, error: unknown) => void;
}

/** Records in the journal what the gate has refused: each destination once an hour, so that a loop does not push all else out. */
export class BlockedEgress {
  readonly #deps: BlockedEgressDeps;
  readonly #told = new Map<string, Map<string, number>>();

  constructor(deps: BlockedEgressDeps) {
    this.#deps = deps;
  }

  record({ bot_id: botId, host, port, why, at }: Refusal): void {
    const { bots, journal, warn, masker, onError } = this.#deps;
    // This is called for a line on a socket: what is thrown here would end the host.
    try {
      if (bots.get(botId) === null) return;
      const recent = [...(this.#told.get(botId) ?? [])].filter(([, when]) => at - when < HOUR_MS);
      const target = `${host}:${port}`;
      if (recent.length >= MOST_AN_HOUR || recent.some(([known]) => known === target)) return;
      const mask = masker(botId);
      const message = mask(`The gate has refused a connection to ${target}`, host);
      const hint = mask(why, host);
      journal.change(
        botId,
        {},
        { kind: 'egress_blocked', why: { code: 'EGRESS_BLOCKED', message, hint, at: toTimestamp(at) } },
      );
      // Only now: what could not be stored is told of with the next connection.
      this.#told.set(botId, new Map([...recent, [target, at]]));
      warn(botId, `${message}: ${hint}`);
    } catch (error) {
      onError(`a refused connection of ${botId}`, error);
    }
  }
}
