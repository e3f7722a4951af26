import type { Reason } from '../../../contract/bot.ts';
import type { Armings } from '../arming/armings.ts';
import type { BotRow } from '../control/bot-store.ts';

export interface ArmedChange {
  readonly enabled: boolean;
  /** Set where the bot stops, and waits until a person has armed it. */
  readonly waits: Reason | null;
  /** The person who answers for the change; null if nobody has to. */
  readonly by: string | null;
  /** The bot loses its last live secret, and its arming with it. */
  readonly ends: boolean;
}

/** What arming makes of a change. `inPerson` names the person who makes it, and throws where none has entered their PIN. */
export function armedChange(
  armings: Pick<Armings, 'afterChange' | 'waitFor'>,
  before: BotRow,
  after: BotRow,
  inPerson: () => string,
): ArmedChange {
  const found = armings.afterChange(before, after);
  const waits = found === 'waits' ? armings.waitFor(after, 'hand') : null;
  const by = found === 'needs a person' ? inPerson() : null;
  return { enabled: after.enabled && waits === null, waits, by, ends: found === 'ends' };
}
