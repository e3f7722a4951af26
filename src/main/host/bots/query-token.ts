import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import { systemErrorCode } from '../../../node/system-error.ts';

/** Kept in the data folder and in no backup. Tokens derive from it, so that none is stored with its run. */
const KEY_FILE = 'query-key';
const KEY = /^[0-9a-f]{64}$/;

async function storedKey(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Gives the token of a run: the same for every host of this data folder, and of no use for any other run. */
export type QueryTokens = (runId: string) => string;

/**
 * The tokens by which the query ports of bots recognise their host. Only the holder of the folder's lock may call this,
 * because it creates a missing key.
 */
export async function openQueryTokens(dataDir: string): Promise<QueryTokens> {
  const file = join(dataDir, KEY_FILE);
  const stored = await storedKey(file);
  const key = KEY.test(stored) ? stored : randomBytes(32).toString('hex');
  if (key !== stored) await writeFileAtomic(file, `${key}\n`);
  return (runId) => `qt_${createHmac('sha256', key).update(runId).digest('base64url')}`;
}
