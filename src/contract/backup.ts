import { z } from 'zod';
import { BotId, Timestamp } from './common.ts';

/** A backup in the `backups` folder of a host. */
export const BackupInfo = z.object({
  file: z.string().meta({ description: 'Absolute path on the machine of the host' }),
  kind: z
    .enum(['full', 'control'])
    .meta({ description: 'full: everything, made on request. control: a copy of control.db, made by the host' }),
  made_at: Timestamp,
  size_bytes: z.number().int(),
  with_logs: z.boolean(),
});
export type BackupInfo = z.infer<typeof BackupInfo>;

/** A backup that was just made. */
export const NewBackup = BackupInfo.extend({
  bots: z.number().int(),
  left_out: z.array(z.string()).meta({
    description:
      'What is not in it: in the state of bots what is no plain file or folder (links), may not be read, lies too deep or is too large; damaged logs; code of versions that is gone',
  }),
});
export type NewBackup = z.infer<typeof NewBackup>;

/** Report of `platform restore`. */
export const Restored = z.object({
  file: z.string(),
  made_at: Timestamp,
  aside: z
    .string()
    .nullable()
    .meta({ description: 'Folder with what was there before; restoring it goes back. Null: nothing was' }),
  bots: z.array(z.object({ bot_id: BotId, name: z.string(), waits: z.boolean() })).meta({
    description: 'waits: it was enabled when the backup was made, and starts when a person starts it',
  }),
  ended: z.number().int().meta({ description: 'Programs of bots that still ran and were ended' }),
  copied: z.boolean().default(false).meta({
    description: 'The folder was copied or moved, and no bot starts in it before a person says that it has moved',
  }),
  finished: z
    .object({ file: z.string(), aside: z.string().nullable() })
    .nullable()
    .meta({ description: 'An earlier restore that had been interrupted, and was completed first' }),
});
export type Restored = z.infer<typeof Restored>;
