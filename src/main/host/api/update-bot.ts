import type { UpdatedBot, UpdateRequest } from '../../../contract/bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { stableStringify } from '../../../shared/json.ts';
import type { BotRow } from '../control/bot-store.ts';
import { assertMayLoosen, loosensBot } from './armed-loosening.ts';
import { type Caller, isPerson, principalOf } from './handler-types.ts';
import type { Services } from './services.ts';

/** True for an update that changes what runs, when, or with which settings; to start, stop and rename changes nothing of that. */
const changesProgram = (input: UpdateRequest): boolean => {
  const { bot_id: _, name: __, enabled: ___, if_generation: ____, ...others } = input;
  return Object.values(others).some((value) => value !== undefined);
};

/** True for a change that makes another bot of one, as far as its name and what it runs tell. */
const isOther = (before: BotRow, after: BotRow): boolean =>
  before.name !== after.name ||
  before.schedule !== after.schedule ||
  stableStringify(before.config) !== stableStringify(after.config);

/** What is left to do of a change that a key asks for: null where all of it waits for a person. */
async function askedByKey(
  s: Services,
  caller: Caller,
  bot: BotRow,
  input: UpdateRequest,
): Promise<UpdateRequest | null> {
  if (!changesProgram(input)) return input;
  const { keyName, keyId } = principalOf(caller);
  const by = { name: `key ${keyName ?? keyId ?? ''}`.trim(), keyId: keyId ?? '', client: caller.client };
  const found = await s.approvals.stage(bot, input, by);
  if (found === 'waits') return null;
  if (found === 'free') return input;
  // It sets what the bot has already, and may rename, start or stop it besides.
  const { bot_id, name, enabled, if_generation } = input;
  return { bot_id, name, enabled, if_generation };
}

/** Changes a bot. What a key asks of an armed one waits for a person, and the bot stays as it is. */
export async function updateBot(s: Services, caller: Caller, bot: BotRow, input: UpdateRequest): Promise<UpdatedBot> {
  s.secrets.assertKnown(caller.userId, input);
  const body = isPerson(caller) ? input : await askedByKey(s, caller, bot, input);
  if (body === null) return { ...s.records.of(s.bots.get(bot.botId) ?? bot), outcome: 'waiting' };
  const inPerson = (): string => {
    if (!isPerson(caller)) throw new PlatformError('SESSION_REQUIRED', 'Only a person changes what an armed bot runs');
    s.pins.check(caller);
    return principalOf(caller).name;
  };
  const check = (before: BotRow, after: BotRow): void => {
    if (loosensBot(s, before, after)) assertMayLoosen(s, caller, before);
    if (isPerson(caller)) return;
    if (isOther(before, after)) s.trash.refuseRemade(after);
    // It was armed since it was asked whether a person has to approve this.
    if (changesProgram(body) && s.approvals.needsPerson(before)) inPerson();
    s.networks.refuseLooser(s.unitSpecs.networked(before), s.unitSpecs.networked(after));
  };
  const changed = await s.instances.update(bot, body, { check, inPerson });
  s.rescheduled();
  return { ...changed, outcome: 'changed' };
}
