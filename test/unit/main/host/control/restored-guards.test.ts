import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { MetricEvent } from '../../../../../src/contract/telemetry.ts';
import { createGuardStore, type GuardRow } from '../../../../../src/main/host/control/guard-store.ts';
import { heldGuards, keepGuards } from '../../../../../src/main/host/control/restored-guards.ts';
import {
  type GuardMemory,
  newMemory,
  readMemory,
  storedMemory,
} from '../../../../../src/main/host/guards/guard-memory.ts';
import { type GuardSpec, readSpec } from '../../../../../src/main/host/guards/guard-spec.ts';
import { judge, takeRows } from '../../../../../src/main/host/guards/judge.ts';
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
  expect(seen(restored)).toEqual(['here']);
});

/** The day before the restore, and that day, as a guard sees them: the equity of each. */
const memoryOf = (spec: GuardSpec, values: readonly (readonly [day: number, value: number])[]): GuardMemory => {
  const memory = newMemory();
  for (const [day, value] of values) {
    takeRows(spec, memory, [], [equity(day, value)]);
    judge(spec, memory, { now: dayAt(day), heldBy: 'nothing', rowsCome: false });
  }
  return memory;
};
const dayAt = (day: number): number => Date.UTC(2026, 2, day, 12);
const equity = (day: number, value: number): MetricEvent => {
  const ts = new Date(dayAt(day)).toISOString();
  return { seq: 1, ts, time: null, type: 'equity', data: { value }, run_id: null };
};

it.each([
  ['that is the same', '100', '100'],
  ['that is stricter in the folder', '200', '100'],
  ['that is stricter in the backup', '100', '200'],
])('the loss of a day goes on after a restore for a guard %s', (_, limitBefore, limitHere) => {
  const before = guard('before', limitBefore);
  const here = guard('here', limitHere);
  const spec = here.spec as GuardSpec;
  const restored = restoredOver(
    folderWith([{ ...before, state: storedMemory(memoryOf(spec, [[1, 800]])) }]),
    folderWith([
      {
        ...here,
        state: storedMemory(
          memoryOf(spec, [
            [1, 1000],
            [2, 950],
          ]),
        ),
      },
    ]),
  );
  const [after] = restored;
  const memory = readMemory(after?.state);
  takeRows(after?.spec as GuardSpec, memory, [], [equity(2, 890)]);
  const verdict = judge(after?.spec as GuardSpec, memory, { now: dayAt(2), heldBy: 'nothing', rowsCome: false });
  expect([verdict?.is, memory.value]).toEqual(['fired', '110']);
});

it('a restore keeps a guard that cannot be compared, with what it has seen', () => {
  const here = guard('here', '5', { unit: 'percent' });
  const restored = restoredOver(folderWith([guard('before', '100')]), folderWith([here]));
  expect(restored).toMatchObject([{ spec: here.spec }]);
  expect(seen(restored)).toEqual(['here']);
});

it('a restore keeps guards that the backup does not have, of bots that it has', () => {
  const here = guard('here', '50');
  const folder = folderWith([here, guard('of another', '1', {}, 'later')], ['b', 'later']);
  const restored = restoredOver(folderWith([guard('before', '2', { kind: 'error_rate' })]), folder);
  expect(restored.map(({ guardId, kind }) => [guardId, kind])).toEqual([
    ['before', 'error_rate'],
    ['here', 'daily_loss'],
  ]);
  expect(seen(restored)).toEqual(['before', 'here']);
});

it('a restore takes the guard of the backup where it is as strict or stricter', () => {
  const restored = restoredOver(folderWith([guard('before', '50')]), folderWith([guard('here', '100')]));
  expect(restored).toEqual([{ ...guard('before', '50'), state: { value: 'here' } }]);
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
