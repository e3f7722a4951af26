import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type Handlers, principalOf } from './handlers.ts';
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
  | 'users.list'
  | 'users.get'
  | 'users.create'
  | 'users.update'
  | 'users.delete'
  | 'audit.list';

const DONE = { ok: true } as const;

/** Users, keys, sessions and the audit trail (wire.md section 7). */
export function accountOperations({ auth, bots }: Services): Pick<Handlers, AccountOperations> {
  return {
    'auth.status': (_, caller) => auth.status(principalOf(caller)),
    'auth.login': (input, { address }) => auth.login(input, address),
    'auth.link': (_, caller) => {
      // A session would outlive the key that made it, and whoever takes a key back.
      if (principalOf(caller).method === 'api_key') {
        throw new PlatformError('FORBIDDEN', 'A key cannot make log-in links', {
          hint: 'Log in with name and password, or run `platform open` on the machine of the host.',
        });
      }
      return auth.makeLink(caller.userId, caller.origin);
    },
    'auth.enter': ({ ticket }) => auth.enter(ticket),
    'auth.logout': (_, caller) => {
      auth.logout(principalOf(caller));
      return DONE;
    },
    'auth.password': async (input, caller) => {
      await auth.changePassword(principalOf(caller), input);
      return DONE;
    },
    'auth.device_start': (input, { origin }) => auth.startDevice(input, `${origin}/connect`),
    'auth.device_poll': ({ device_code }) => auth.pollDevice(device_code),
    'auth.device_approve': ({ user_code }, { userId }) => {
      auth.approveDevice(userId, user_code);
      return DONE;
    },
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
    'users.list': () => ({ items: auth.listUsers() }),
    'users.get': ({ user_id }) => auth.getUser(user_id),
    'users.create': (input) => auth.createUser(input),
    'users.update': (input) => auth.updateUser(input),
    'users.delete': ({ user_id }) => {
      auth.deleteUser(user_id);
      return DONE;
    },
    'audit.list': ({ limit, before }, { userId }) => ({
      items: auth.listAudit(userId, limit ?? LIMITS.logsDefault, before),
    }),
  };
}
