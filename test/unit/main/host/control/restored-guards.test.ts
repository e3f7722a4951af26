import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createGuardStore, type GuardRow } from '../../../../../src/main/host/control/guard-store.ts';
import { heldGuards, keepGuards } from '../../../../../src/main/host/control/restored-guards.ts';
import { readMemory } from '../../../../../src/main/host/guards/guard-memory.ts';
import { readSpec } from '../../../../../src/main/host/guards/guard-spec.ts';
import { folderOfRelease, openControl } from '../../../../support/folder-of-release.ts';
import { tempDir } from '../../../../support/temp.ts';

/** The migration that brought guards. */
const GUARD_VERSION = 24;

const guard = (guardId: string, limit: string, over: object = {}, botId = 'b'): GuardRow => {
  const spec = readSpec({ bot_id: botId, kind: 'daily_loss', limit, ...over });
  return { guardId, botId, kind: spec.kind, symbol: spec.symbol ?? '', spec, state: { value: guardId } };
};

/** A control database with the bot `b` and these guards. */
function folderWith(rows: readonly GuardRow[], bots = ['b']): string {
  const file = folderOfRelease({ bots });
  const db = openControl(file);
  for (const row of rows) createGuardStore(db).put(row);
  db.close();
  return file;
}

function restoredOver(backup: string, folder: string): GuardRow[] {
  const held = heldGuards(folder);
  const raw = new Database(backup);
  keepGuards(raw, held);
  raw.close();
  const db = openControl(backup);
  const found = createGuardStore(db).all();
  db.close();
  return found;
}

const seen = (rows: readonly GuardRow[]): unknown[] => rows.map(({ state }) => readMemory(state).value);

it.each<[string, GuardRow]>([
  ['a lower limit', guard('here', '50')],
  ['a stop in place of an alarm', guard('here', '100', { action: 'stop' })],
  ['a limit by which it fires where it cannot be computed', guard('here', '100', { fail_closed_min: 5 })],
])('a restore keeps the guard of the folder where it is stricter: %s', (_, here) => {
  const before = guard('before', '100', { action: 'alarm' });
  const restored = restoredOver(folderWith([before]), folderWith([here]));
  expect(restored).toMatchObject([{ guardId: 'here', spec: here.spec }]);
  // It goes on from the row up to which the guard of the backup had judged.
  expect(seen(restored)).toEqual(['before']);
});

it('a restore keeps a guard that cannot be compared, and it begins anew', () => {
  const here = guard('here', '5', { unit: 'percent' });
  const restored = restoredOver(folderWith([guard('before', '100')]), folderWith([here]));
  expect(restored).toMatchObject([{ spec: here.spec }]);
  expect(seen(restored)).toEqual([null]);
});

it('a restore keeps guards that the backup does not have, of bots that it has', () => {
  const here = guard('here', '50');
  const folder = folderWith([here, guard('of another', '1', {}, 'later')], ['b', 'later']);
  const restored = restoredOver(folderWith([guard('before', '2', { kind: 'error_rate' })]), folder);
  expect(restored.map(({ guardId, kind }) => [guardId, kind])).toEqual([
    ['before', 'error_rate'],
    ['here', 'daily_loss'],
  ]);
});

it('a restore takes the guard of the backup where it is as strict or stricter', () => {
  const restored = restoredOver(folderWith([guard('before', '50')]), folderWith([guard('here', '100')]));
  expect(restored).toEqual([guard('before', '50')]);
});

it('a backup of a release without guards keeps those of the folder', () => {
  const here = guard('here', '50');
  const restored = restoredOver(folderOfRelease({ bots: ['b'], before: GUARD_VERSION }), folderWith([here]));
  expect(restored).toMatchObject([{ guardId: 'here', spec: here.spec }]);
});

it('a folder without a sound database, or of an earlier release, holds none', () => {
  expect(heldGuards(join(tempDir('restored-'), 'none.db'))).toEqual([]);
  expect(heldGuards(folderOfRelease({ bots: ['b'], before: GUARD_VERSION }))).toEqual([]);
});
