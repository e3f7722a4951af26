import { PlatformError } from '../../../contract/errors.ts';
import { isBelow } from '../../../contract/isolation.ts';
import type { BotRow } from '../control/bot-store.ts';
import { loosensNetwork } from '../gate/loosens-network.ts';
import { type Caller, isPerson } from './handler-types.ts';
import type { Services } from './services.ts';

/**
 * Throws unless the caller may let the programs of this bot reach more than when it was armed, which no hash of its arming tells:
 * PIN_REQUIRED for a person who has not entered their PIN, SESSION_REQUIRED for a key. Nothing for a bot that is not armed.
 */
export function assertMayLoosen(
  { armings, pins }: Pick<Services, 'armings' | 'pins'>,
  caller: Caller,
  bot: BotRow,
): void {
  if ((armings.shown(bot)?.state ?? 'unarmed') === 'unarmed') return;
  if (!isPerson(caller)) {
    throw new PlatformError('SESSION_REQUIRED', 'Only a person lets an armed bot reach more, or isolates it less', {
      hint: 'Nothing was changed. A person does it with their PIN: in a terminal of the host, or logged in.',
    });
  }
  pins.check(caller);
}

/** True if a change isolates the programs of a bot less, or gives them more of the network, whatever the mode of that is. */
export function loosensBot(
  { isolation, unitSpecs }: Pick<Services, 'isolation' | 'unitSpecs'>,
  before: BotRow,
  after: BotRow,
): boolean {
  if (isBelow(isolation.levelOf(after.engine), isolation.levelOf(before.engine))) return true;
  const [was, is] = [unitSpecs.networked(before), unitSpecs.networked(after)];
  return loosensNetwork({ ...was, mode: 'enforce' }, { ...is, mode: 'enforce' });
}
