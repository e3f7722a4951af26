import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from './atomic-write.ts';
import { systemErrorCode } from './system-error.ts';

/** Kept in the data folder and in no backup. It was made for tokens of query ports, hence its name. */
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

/**
 * The secret key of a data folder, from which others are derived. Only the holder of the folder's lock may call this, because
 * it creates a missing key.
 */
export async function openHostKey(dataDir: string): Promise<string> {
  const file = join(dataDir, KEY_FILE);
  const stored = await storedKey(file);
  const key = KEY.test(stored) ? stored : randomBytes(32).toString('hex');
  if (key !== stored) await writeFileAtomic(file, `${key}\n`);
  return key;
}
