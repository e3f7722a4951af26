import { z } from 'zod';
import { BackupInfo, NewBackup } from './backup.ts';
import { call, type Operation } from './operation.ts';
import { list, none } from './operation-fields.ts';
import { Storage, StorageChange } from './storage-settings.ts';

/** Rows of the operation table: retention and backups. */
export const STORAGE_OPERATIONS = {
  'host.backups': call(
    ['GET', '/api/v1/host/backups'],
    'owner',
    'The backups of this host, newest first',
    none,
    list(BackupInfo),
  ),
  'host.backup': call(
    ['POST', '/api/v1/host/backups'],
    'owner',
    'Back up everything into one file beside the data; the host and its bots go on',
    z.strictObject({ with_logs: z.boolean().optional().meta({ description: 'Log lines and metrics, too' }) }),
    NewBackup,
    { status: 201, errors: ['DATA_DAMAGED', 'STORAGE_FULL'], audit: ['made', 'make', 'a backup'] },
  ),
  'host.storage': call(
    ['GET', '/api/v1/host/storage'],
    'read',
    'Free space, and how long logs and backups are kept',
    none,
    Storage,
  ),
  'host.set_storage': call(
    ['PATCH', '/api/v1/host/storage'],
    'owner',
    'Change how long logs and backups are kept, and how much space stays free; the rest stays as it is',
    StorageChange,
    Storage,
    { effect: 'destructive', audit: ['changed', 'change', 'how long data is kept'] },
  ),
} as const satisfies Record<string, Operation>;
