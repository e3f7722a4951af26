import { type Handlers, isPerson, principalOf } from './handler-types.ts';
import { ownBot, reaches } from './own-bot.ts';
import type { Services } from './services.ts';

/** Changes of armed bots that wait for a person; approving one takes a PIN. */
export function approvalOperations(
  s: Services,
): Pick<Handlers, 'approvals.list' | 'approvals.get' | 'approvals.approve' | 'approvals.reject'> {
  return {
    'approvals.list': (_, caller) => ({
      items: s.approvals.list(caller.userId, (botId) => reaches(caller, botId)),
    }),
    'approvals.get': ({ bot_id }, caller) =>
      s.approvals.get(ownBot(s.bots, caller, bot_id), isPerson(caller) ? 'person' : 'key'),
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
