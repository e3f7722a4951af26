import { call, callInPerson, type Operation } from './operation.ts';
import { none } from './operation-fields.ts';
import {
  KeyRestored,
  NewSecret,
  OfSecret,
  RecoveryKey,
  Secret,
  SecretList,
  SecretRotation,
  SecretUsers,
  VaultInfo,
  WrittenRecoveryKey,
} from './secrets.ts';

const DOCS = { docs: 'docs/secrets.md#named-secrets' } as const;
const KEY_DOCS = { docs: 'docs/secrets.md#the-key' } as const;

/** Rows of the operation table: secrets and the key that seals them. No answer holds a value. */
export const SECRET_OPERATIONS = {
  'secrets.list': call(
    ['GET', '/api/v1/secrets'],
    'read',
    'The secrets of this user, without their values, and the key that seals them',
    none,
    SecretList,
    DOCS,
  ),
  'secrets.set': call(
    ['POST', '/api/v1/secrets'],
    'write',
    'Store a secret under a new name; one of the class live needs a person',
    NewSecret,
    Secret,
    {
      ...DOCS,
      status: 201,
      target: 'name',
      errors: ['NAME_TAKEN', 'SECRETS_SEALED', 'SESSION_REQUIRED'],
      audit: ['stored', 'store', '[the secret {name}|a secret]'],
    },
  ),
  'secrets.rotate': call(
    ['POST', '/api/v1/secrets/{name}/rotate'],
    'write',
    'Replace the value of a secret; programs that run keep the old one until they are restarted',
    SecretRotation,
    Secret,
    {
      ...DOCS,
      effect: 'destructive',
      errors: ['SECRET_NOT_FOUND', 'SECRETS_SEALED', 'SESSION_REQUIRED'],
      audit: ['rotated', 'rotate', '[the secret {name}|a secret]'],
    },
  ),
  'secrets.used_by': call(
    ['GET', '/api/v1/secrets/{name}/used-by'],
    'read',
    'The bots whose config refers to a secret',
    OfSecret,
    SecretUsers,
    { ...DOCS, errors: ['SECRET_NOT_FOUND'] },
  ),
  'secrets.remove': call(
    ['DELETE', '/api/v1/secrets/{name}'],
    'write',
    'Remove a secret that no bot uses',
    OfSecret,
    OfSecret,
    {
      ...DOCS,
      effect: 'destructive',
      errors: ['SECRET_NOT_FOUND', 'SECRET_IN_USE', 'SESSION_REQUIRED'],
      audit: ['removed', 'remove', '[the secret {name}|a secret]'],
    },
  ),
  'secrets.recovery_key': callInPerson(
    ['POST', '/api/v1/vault/recovery-key'],
    'owner',
    'The recovery key, shown once',
    none,
    RecoveryKey,
    {
      ...KEY_DOCS,
      effect: 'destructive',
      errors: ['RECOVERY_KEY_SHOWN', 'SECRETS_SEALED'],
      audit: ['was shown', 'see', 'the recovery key of the secrets'],
    },
  ),
  'secrets.restore_key': callInPerson(
    ['POST', '/api/v1/vault/restore-key'],
    'owner',
    'Give the recovery key to a host that does not have its key, and start the bots that waited for it',
    WrittenRecoveryKey,
    KeyRestored,
    {
      ...KEY_DOCS,
      errors: ['INVALID_REQUEST'],
      audit: ['restored', 'restore', 'the key of the secrets'],
    },
  ),
  'secrets.new_key': callInPerson(
    ['POST', '/api/v1/vault/new-key'],
    'owner',
    'Seal every secret that opens under a new key, which has a recovery key of its own',
    none,
    VaultInfo,
    {
      ...KEY_DOCS,
      effect: 'destructive',
      cost: 'heavy',
      audit: ['replaced', 'replace', 'the key of the secrets'],
    },
  ),
} as const satisfies Record<string, Operation>;
