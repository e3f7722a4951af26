import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { auditFilter } from './audit-filter.ts';
import { toldAudit } from './audit-names-and-words.ts';
import { type Handlers, principalOf } from './handler-types.ts';
import { ownBot } from './own-bot.ts';
import type { Services } from './services.ts';

type AccountOperations =
  | 'auth.status'
  | 'auth.login'
  | 'auth.link'
  | 'auth.enter'
  | 'auth.logout'
  | 'auth.password'
  | 'auth.device_start'
  | 'auth.device_poll'
  | 'auth.device_approve'
  | 'keys.list'
  | 'keys.get'
  | 'keys.create'
  | 'keys.delete'
  | 'sessions.list'
  | 'sessions.end'
  | 'sessions.end_others'
  | 'users.list'
  | 'users.get'
  | 'users.create'
  | 'users.update'
  | 'users.delete'
  | 'audit.list';

const DONE = { ok: true } as const;

/** Users, keys, sessions and the audit trail. */
export function accountOperations(services: Services): Pick<Handlers, AccountOperations> {
  const { auth, bots } = services;
  return {
    'auth.status': (_, caller) => auth.status(principalOf(caller)),
    'auth.login': (input, { cameFrom }) => auth.login(input, cameFrom()),
    'auth.link': (_, { userId, origin }) => auth.makeLink(userId, origin),
    'auth.enter': ({ ticket }, { cameFrom }) => auth.enter(ticket, cameFrom()),
    'auth.logout': (_, caller) => {
      auth.logout(principalOf(caller));
      return DONE;
    },
    'auth.password': async (input, caller) => {
      await auth.changePassword(principalOf(caller), input);
      return DONE;
    },
    'auth.device_start': (input, { origin, cameFrom }) =>
      auth.startDevice(input, `${origin}/connect`, cameFrom().source),
    'auth.device_poll': ({ device_code }) => auth.pollDevice(device_code),
    'auth.device_approve': (input, { userId }) => auth.approveDevice(userId, input),
    'keys.list': (_, { userId }) => ({ items: auth.listKeys(userId) }),
    'keys.get': ({ key_id }, { userId }) => auth.getKey(userId, key_id),
    'keys.create': (input, caller) => {
      for (const botId of input.bots ?? []) ownBot(bots, caller, botId);
      return auth.createKey(caller.userId, input);
    },
    'keys.delete': ({ key_id }, { userId }) => {
      auth.revokeKey(userId, key_id);
      return DONE;
    },
    'sessions.list': ({ user_id }, caller) => {
      const principal = principalOf(caller);
      const userId = user_id ?? principal.userId;
      if (userId !== principal.userId && principal.role !== 'owner') throw new PlatformError('USER_NOT_FOUND');
      return { items: auth.listSessions(auth.getUser(userId).user_id, principal) };
    },
    'sessions.end': ({ session_id }, caller) => {
      auth.endSession(principalOf(caller), session_id);
      return DONE;
    },
    'sessions.end_others': (_, caller) => {
      const principal = principalOf(caller);
      const others = auth.listSessions(principal.userId, principal).filter(({ current }) => !current);
      for (const { session_id } of others) auth.endSession(principal, session_id);
      return { ended: others.length };
    },
    'users.list': () => ({ items: auth.listUsers() }),
    'users.get': ({ user_id }) => auth.getUser(user_id),
    'users.create': (input) => auth.createUser(input),
    'users.update': (input, caller) => auth.updateUser(input, principalOf(caller)),
    'users.delete': ({ user_id }) => {
      auth.deleteUser(user_id);
      return DONE;
    },
    'audit.list': ({ limit, before, ...wanted }, caller) => {
      const kept = auth.listAudit(
        caller.userId,
        limit ?? LIMITS.logsDefault,
        before,
        auditFilter(services, caller, wanted),
      );
      return { items: toldAudit(services, principalOf(caller), kept) };
    },
  };
}
