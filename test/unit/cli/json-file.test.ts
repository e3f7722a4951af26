import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJsonObject } from '../../../src/cli/json-file.ts';
import { tempDir } from '../../support/temp.ts';

const inFolder = (cwd: string) => ({ cwd, readStdin: async () => '{"from": "stdin"}' });

describe('readJsonObject', () => {
  it('reads a file, a folder with an instance file, and stdin', async () => {
    const cwd = tempDir('json-file-');
    mkdirSync(join(cwd, 'my bot'));
    writeFileSync(join(cwd, 'my bot', 'instance.json'), '\ufeff{"name": "x"}');
    expect(await readJsonObject(inFolder(cwd), 'my bot')).toEqual({ name: 'x' });
    expect(await readJsonObject(inFolder(cwd), 'my bot/instance.json')).toEqual({ name: 'x' });
    expect(await readJsonObject(inFolder(cwd), '-')).toEqual({ from: 'stdin' });
  });

  it.each([
    ['nowhere.json', 'nowhere.json: there is no such file'],
    ['file.txt/deeper', 'file.txt/deeper: there is no such file'],
    ['empty', 'empty: is a folder'],
    ['file.txt', 'file.txt: is not JSON'],
    ['list.json', 'list.json: holds no JSON object'],
  ])('refuses %s in plain words', async (path, message) => {
    const cwd = tempDir('json-file-');
    mkdirSync(join(cwd, 'empty'));
    writeFileSync(join(cwd, 'file.txt'), 'no');
    writeFileSync(join(cwd, 'list.json'), '[1]');
    const error = await readJsonObject(inFolder(cwd), path).catch((refused: unknown) => refused);
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining(message) });
    expect(String(error)).not.toMatch(/ENOENT|EISDIR|ENOTDIR/);
  });
});
