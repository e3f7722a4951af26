import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openWith } from '../../src/main/host/vault/secret-box.ts';
import { readKey } from '../../src/node/key-file.ts';
import { isSealed, replaceValues } from '../../src/shared/secret-references.ts';
import type { TestHost } from './platform.ts';

/** The config of a bot as it is stored, with its secrets opened by the key that the tests of this file use. */
export function storedConfig(host: Pick<TestHost, 'dataDir'>, botId: string): unknown {
  const keyFolder = process.env.PLATFORM_KEY_FOLDER ?? '';
  const db = new Database(join(host.dataDir, 'control.db'), { readonly: true });
  try {
    const row = db.prepare<[string], { config: string }>('select config from bot where bot_id = ?').get(botId);
    return replaceValues(JSON.parse(row?.config ?? 'null'), (value) =>
      isSealed(value)
        ? JSON.parse(openWith((id) => readKey(keyFolder, id), `bot:${botId}`, value.$sealed) ?? '"sealed"')
        : undefined,
    );
  } finally {
    db.close();
  }
}
