import type { ChangeReader } from '../bots/settings-for-reader.ts';
import { type Caller, type Handlers, isPerson, principalOf } from './handler-types.ts';
import { ownBot, reaches } from './own-bot.ts';
import type { Services } from './services.ts';

/** Changes of armed bots that wait for a person; approving one takes a PIN. */
export function approvalOperations(
  s: Services,
): Pick<Handlers, 'approvals.list' | 'approvals.get' | 'approvals.approve' | 'approvals.reject'> {
  const readerOf = (caller: Caller): ChangeReader => (isPerson(caller) ? 'person' : 'key');
  return {
    'approvals.list': (_, caller) => ({
      items: s.approvals.list(caller.userId, (botId) => reaches(caller, botId), readerOf(caller)),
    }),
    'approvals.get': ({ bot_id }, caller) => s.approvals.get(ownBot(s.bots, caller, bot_id), readerOf(caller)),
    'approvals.approve': async ({ bot_id, approval_id }, caller) => {
      const bot = ownBot(s.bots, caller, bot_id);
      s.pins.check(caller);
      const changed = await s.approvals.approve(bot, approval_id, principalOf(caller).name);
      s.rescheduled();
      return changed;
    },
    'approvals.reject': ({ bot_id, approval_id }, caller) =>
      s.approvals.reject(ownBot(s.bots, caller, bot_id), approval_id, principalOf(caller).name),
  };
}
