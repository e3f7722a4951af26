import { toTimestampOrNull } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { SecretClass, VaultInfo } from '../../../contract/secrets.ts';
import type { Principal } from '../auth/auth.ts';
import { type Caller, type Handlers, principalOf } from './handler-types.ts';
import type { Services } from './services.ts';

type SecretOperations =
  | 'secrets.list'
  | 'secrets.set'
  | 'secrets.rotate'
  | 'secrets.used_by'
  | 'secrets.remove'
  | 'secrets.recovery_key'
  | 'secrets.restore_key'
  | 'secrets.new_key';

const nameOf = ({ method, name, keyName }: Principal): string => (method === 'api_key' ? `key ${keyName ?? ''}` : name);

/** Throws SESSION_REQUIRED for a key that would change a secret which moves real money. */
function assertPerson(caller: Caller, secretClass: SecretClass | null): void {
  if (secretClass !== 'live' || principalOf(caller).method !== 'api_key') return;
  throw new PlatformError('SESSION_REQUIRED', 'Only a person changes a secret of the class live', {
    hint: 'Do it in the dashboard, or run the command without a key on the machine of the host.',
  });
}

/** Named secrets, and the key that seals everything secret of this host. */
export function secretOperations({
  secrets,
  vault,
  bots,
  armedBots,
  approvals,
  armExisting,
  sealAll,
}: Services): Pick<Handlers, SecretOperations> {
  const info = (): VaultInfo => ({
    key_id: vault.keyId,
    open: vault.isOpen,
    recovery_key_shown_at: toTimestampOrNull(vault.recoveryShownAt),
  });
  /** Throws SESSION_REQUIRED for a key that would have a bot which only a person changes start with another value. */
  const assertFree = (caller: Caller, name: string): void => {
    if (principalOf(caller).method !== 'api_key') return;
    const armed = secrets.usedBy(caller.userId, name).find(({ bot_id }) => {
      const bot = bots.get(bot_id);
      return bot !== null && approvals.needsPerson(bot);
    });
    if (armed === undefined) return;
    throw new PlatformError('SESSION_REQUIRED', 'Only a person changes a secret that an armed bot uses', {
      hint: 'Do it in the dashboard, or run the command without a key on the machine of the host.',
    });
  };
  return {
    'secrets.list': (_, { userId }) => ({ items: secrets.list(userId), vault: info() }),
    'secrets.set': (input, caller) => {
      assertPerson(caller, input.class);
      return secrets.set(caller.userId, input, nameOf(principalOf(caller)));
    },
    'secrets.rotate': (input, caller) => {
      assertPerson(caller, secrets.classOf(caller.userId, input.name));
      assertFree(caller, input.name);
      return secrets.rotate(caller.userId, input, nameOf(principalOf(caller)));
    },
    'secrets.used_by': ({ name }, { userId }) => ({ name, items: secrets.usedBy(userId, name) }),
    'secrets.remove': ({ name }, caller) => {
      assertPerson(caller, secrets.classOf(caller.userId, name));
      secrets.remove(caller.userId, name);
      return { name };
    },
    'secrets.recovery_key': () => ({ key_id: vault.keyId, recovery_key: vault.recoveryKey() }),
    'secrets.restore_key': async ({ recovery_key }) => {
      await vault.restoreKey(recovery_key);
      bots.readAgain();
      armExisting();
      return { vault: info(), ...(await armedBots.startSealed()) };
    },
    'secrets.new_key': async () => {
      await vault.newKey();
      sealAll();
      bots.readAgain();
      armExisting();
      return info();
    },
  };
}
