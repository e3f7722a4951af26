import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings, writeSettings } from '../../../../../src/main/host/compose/settings.ts';
import { tempDir } from '../../../../support/temp.ts';

function folderWith(settings: unknown): string {
  const dir = tempDir();
  writeFileSync(join(dir, 'settings.json'), JSON.stringify(settings));
  return dir;
}

describe('the interpreters of settings.json', () => {
  it('are files and images by name', () => {
    const interpreters = {
      awk: { path: '/usr/bin/mawk' },
      ruby: { image: 'ruby:3.4-slim' },
      both: { path: '/b', image: 'b' },
    };
    expect(readSettings(folderWith({ interpreters })).interpreters).toEqual(interpreters);
  });

  it.each<[string, unknown]>([
    ['a relative path', { awk: { path: 'awk' } }],
    ['a path with steps up', { awk: { path: '/usr/../bin/awk' } }],
    ['a path as a name', { '/usr/bin/awk': {} }],
    ['an option as a name', { '-c': {} }],
    ['an option as an image', { awk: { image: '--privileged' } }],
    ['another field', { awk: { arguments: ['-f'] } }],
    ['a list', ['awk']],
  ])('are refused with %s, and the setting is named', (_, interpreters) => {
    expect(() => readSettings(folderWith({ interpreters }))).toThrow(/settings\.json interpreters/);
  });
});

it('changes that are stored at once are all kept, beside what a person has written', async () => {
  const dir = folderWith({ port: 4800 });
  const interpreters = { awk: { path: '/usr/bin/mawk' } };
  await Promise.all([
    writeSettings(dir, { retention_days: 5 }),
    writeSettings(dir, { interpreters }),
    writeSettings(dir, { backups_kept: 3 }),
  ]);
  const stored = JSON.parse(readFileSync(join(dir, 'settings.json'), 'utf8'));
  expect(stored).toEqual({ port: 4800, retention_days: 5, interpreters, backups_kept: 3 });
  await writeSettings(dir, { interpreters: null });
  expect(readSettings(dir)).toEqual({ port: 4800, retention_days: 5, backups_kept: 3 });
});
