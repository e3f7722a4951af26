import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyFile, keyIdOf, makeKey, openKeyFolder, readKey } from '../../../src/node/key-file.ts';
import { tempDir } from '../../support/temp.ts';

const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) });

describe('openKeyFolder', () => {
  it('makes a folder that is closed to others', () => {
    const folder = join(tempDir(), 'config', 'keys');
    openKeyFolder(folder, tempDir());
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('refuses the data folder, a folder in it, and a link into it', () => {
    const data = tempDir();
    const link = join(tempDir(), 'link');
    mkdirSync(join(data, 'backups'));
    symlinkSync(join(data, 'backups'), link);
    for (const folder of [data, join(data, 'keys'), link])
      expect(() => openKeyFolder(folder, data)).toThrow(refused(/lies in the data folder/));
    openKeyFolder(join(tempDir(), 'keys'), data);
  });

  it('refuses a folder into which others may write', () => {
    const folder = tempDir();
    chmodSync(folder, 0o777);
    expect(() => openKeyFolder(folder, tempDir())).toThrow(refused(/others may write/));
  });
});

describe('readKey', () => {
  it('reads the key that was made, from a file for this user alone', async () => {
    const folder = tempDir();
    const key = await makeKey(folder);
    const id = keyIdOf(key);
    expect(readKey(folder, id)).toEqual(key);
    expect(statSync(keyFile(folder, id)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual([`${id}.key`]);
    expect(readKey(folder, '0123456789abcdef')).toBeNull();
  });

  it.each([
    ['can be read by others', /can be read by others/, (file: string) => chmodSync(file, 0o640)],
    ['has a second name', /hard link/, (file: string) => linkSync(file, `${file}.copy`)],
    ['holds another key', /does not hold its key/, (file: string) => writeFileSync(file, `${'ab'.repeat(32)}\n`)],
    ['is cut', /does not hold its key/, (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 20))],
  ])('refuses a file that %s', async (_, message, change) => {
    const folder = tempDir();
    const id = keyIdOf(await makeKey(folder));
    change(keyFile(folder, id));
    expect(() => readKey(folder, id)).toThrow(refused(message));
  });

  it('follows no link', async () => {
    const [folder, other] = [tempDir(), tempDir()];
    const id = keyIdOf(await makeKey(other));
    symlinkSync(keyFile(other, id), keyFile(folder, id));
    expect(() => readKey(folder, id)).toThrow(refused(/is a link/));
  });
});
