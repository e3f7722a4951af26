import { z } from 'zod';
import { Reason } from './bot.ts';
import { Timestamp } from './common.ts';

/** Secrets: values with a name, to which configs refer (docs/secrets.md). No answer holds a value. */

export const SECRET_CLASSES = ['live', 'paper'] as const;
/** `live`: it moves real money. `paper`: it opens a test account. */
export const SecretClass = z.enum(SECRET_CLASSES);
export type SecretClass = z.infer<typeof SecretClass>;

const SecretName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
    'a name has up to 64 letters, digits and "_", ".", "-", and begins with a letter',
  )
  .meta({ examples: ['KRAKEN_KEY'] });
const SecretText = z.string().min(1).max(16_384).meta({ description: 'The value; it is never shown again' });

/** A bot whose config refers to a secret. */
export const SecretUser = z.object({ bot_id: z.string(), name: z.string() });

/** A secret without its value. */
export const Secret = z.object({
  name: z.string(),
  class: SecretClass,
  opens: z.boolean().meta({ description: 'False if this host does not have the key with which it was sealed' }),
  used_by: z.array(SecretUser).meta({ description: 'Bots whose config refers to it' }),
  created_at: Timestamp,
  created_by: z.string(),
  rotated_at: Timestamp.nullable(),
  rotated_by: z.string().nullable(),
});
export type Secret = z.infer<typeof Secret>;

/** The key that seals the secrets of this host. */
export const VaultInfo = z.object({
  key_id: z.string(),
  open: z
    .boolean()
    .meta({ description: 'False if the key is not on this machine: secrets stay sealed until it is restored' }),
  recovery_key_shown_at: Timestamp.nullable(),
});
export type VaultInfo = z.infer<typeof VaultInfo>;

export const SecretList = z.object({ items: z.array(Secret), vault: VaultInfo });
export const NewSecret = z.strictObject({ name: SecretName, class: SecretClass.default('live'), value: SecretText });
export const SecretRotation = z.strictObject({ name: SecretName, value: SecretText });
export const OfSecret = z.strictObject({ name: SecretName });
export const SecretUsers = z.object({ name: z.string(), items: z.array(SecretUser) });

/** Opens the secrets of this host elsewhere. Whoever has it and the data can read every secret. */
export const RecoveryKey = z.object({ key_id: z.string(), recovery_key: z.string() });
export const WrittenRecoveryKey = z.strictObject({ recovery_key: z.string().min(1).max(200) });
/** What happened to bots that waited for the key: those that start, and those that wait for something else, with what it is. */
export const KeyRestored = z.object({
  vault: VaultInfo,
  started: z.array(SecretUser),
  waiting: z.array(SecretUser.extend({ reason: Reason })),
});
export type KeyRestored = z.output<typeof KeyRestored>;
