import Database from 'better-sqlite3';
import { PlatformError } from '../../../contract/errors.ts';
import { controlFault } from './control-damage.ts';

/** A bot that a control database knows. */
export interface KnownBot {
  readonly botId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly isTrashed: boolean;
}

/** Folders that a control database expects beside it. */
export interface KnownFolders {
  readonly bots: readonly KnownBot[];
  /** `<user>/<name>/<version>` below the catalogue. */
  readonly versions: readonly string[];
}

/**
 * Writes a consistent copy of a database that others may be writing to, and closes it. The source is read through a
 * connection of its own; a host goes on meanwhile.
 */
export function copyDatabase(from: string, to: string): void {
  const db = new Database(from, { readonly: true, fileMustExist: true });
  try {
    db.pragma('busy_timeout = 5000');
    db.prepare('vacuum into ?').run(to);
  } finally {
    db.close();
  }
}

/** False for a database of a release that knew no trash. */
export function knowsTrash(db: Database.Database): boolean {
  return db.prepare("select 1 from pragma_table_info('bot') where name = 'trash'").get() !== undefined;
}

/** Bots and versions of a control database that no other process uses. Throws DATA_DAMAGED for an unsound one. */
export function knownFolders(file: string): KnownFolders {
  const fault = controlFault(file);
  if (fault !== null) {
    throw new PlatformError('DATA_DAMAGED', `The control database ${file} is damaged (${fault})`, {
      hint: 'A backup of it would be useless. Restore an earlier backup with `platform restore`.',
    });
  }
  const db = new Database(file, { readonly: true });
  try {
    const trashed = knowsTrash(db);
    const bots = db
      .prepare<[], { bot_id: string; name: string; enabled: number; is_trashed: number }>(
        `select bot_id, ${trashed ? 'coalesce(trash_name, name)' : 'name'} as name, enabled, ${trashed ? 'trash is not null' : '0'} as is_trashed
         from bot where deleting = 0 order by bot_id`,
      )
      .all();
    const versions = db
      .prepare<[], { place: string }>(
        "select user_id || '/' || name || '/' || version as place from custom_bot_version order by 1",
      )
      .all();
    return {
      bots: bots.map(({ bot_id, name, enabled, is_trashed }) => ({
        botId: bot_id,
        name,
        enabled: enabled === 1,
        isTrashed: is_trashed === 1,
      })),
      versions: versions.map(({ place }) => place),
    };
  } finally {
    db.close();
  }
}
