import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { zip } from '../../../../src/cli/connect/zip.ts';
import { tempDir } from '../../../support/temp.ts';

const READ = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps({ one.filename: [archive.read(one).hex(), oct(one.external_attr >> 16)] for one in archive.infolist() }))
`;

it('is an archive that others read, with names and bytes of any kind', () => {
  const files = [
    { name: 'manifest.json', data: Buffer.from('{"a": "ü"}') },
    { name: 'server/ünïcode 🚀.js', data: Buffer.from([0, 255, 10, 13]) },
    { name: 'empty', data: Buffer.alloc(0) },
    { name: 'large', data: Buffer.alloc(300_000, 'abc') },
  ];
  const path = join(tempDir(), 'a.zip');
  writeFileSync(path, zip(files));
  const seen = JSON.parse(execFileSync('python3', ['-c', READ, path], { encoding: 'utf8' }));
  expect(seen).toEqual(Object.fromEntries(files.map(({ name, data }) => [name, [data.toString('hex'), '0o100644']])));
});

it('is the same for the same files', () => {
  const files = [{ name: 'a', data: Buffer.from('x') }];
  expect(zip(files).equals(zip(files))).toBe(true);
});
