import { describe, expect, it } from 'vitest';
import type { ProcessIdentity } from '../../../src/node/process-identity.ts';
import { type ProcessRow, parseProcStat, parsePsLine } from '../../../src/node/process-table.ts';
import { treeMembers } from '../../../src/node/process-tree.ts';

describe('reading process lists', () => {
  it('reads /proc/<pid>/stat, whatever the program calls itself', () => {
    const rest = 'S 5709 5710 5711 0 -1 4194304 102 0 0 0 7 3 2 1 20 0 4 0 867916 3133440 377 1844';
    expect(parseProcStat(`42 (a) b) (c) ${rest}`, 4096)).toEqual({
      pid: 42,
      parent: 5709,
      group: 5710,
      session: 5711,
      started: '867916',
      zombie: false,
      threads: 4,
      cpuMs: 130,
      residentBytes: 377 * 4096,
    });
    expect(parseProcStat(`42 (x) ${rest.replace('S', 'Z')}`, 4096)?.zombie).toBe(true);
    expect(parseProcStat('', 4096)).toBeNull();
  });

  it('reads ps of macOS', () => {
    expect(parsePsLine('  501   1   501 Ss  2048 1-02:03:04.50 Thu Nov 20 22:23:01 2025   ')).toEqual({
      pid: 501,
      parent: 1,
      group: 501,
      session: 0,
      started: 'Thu Nov 20 22:23:01 2025',
      zombie: false,
      threads: 1,
      cpuMs: 93_784_500,
      residentBytes: 2048 * 1024,
    });
    expect(parsePsLine('  7 1 7 Z 0 0:00.00 Thu Nov 20 22:23:01 2025')?.zombie).toBe(true);
    expect(parsePsLine('')).toBeNull();
  });
});

const row = (pid: number, parent: number, over: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent,
  group: over.group ?? pid,
  session: over.session ?? pid,
  started: over.started ?? '100',
  zombie: over.zombie ?? false,
  threads: 1,
  cpuMs: 0,
  residentBytes: 0,
});
const root: ProcessIdentity = { pid: 3_000_010, started: '100', boot: 'b' };
const pids = (rows: readonly ProcessRow[], boot = 'b') =>
  treeMembers({ root, marker: [] }, rows, boot)
    .map((each) => each.pid - 3_000_000)
    .sort((a, b) => a - b);
const p = (n: number): number => 3_000_000 + n;

describe('members of a tree', () => {
  it('are root, group, session and all descendants, without zombies and strangers', () => {
    const rows = [
      row(p(14), p(13)),
      row(p(13), p(12)),
      row(p(10), 1),
      row(p(11), 1, { group: p(10) }),
      row(p(12), 1, { session: p(10) }),
      row(p(15), p(10), { zombie: true }),
      row(p(16), p(15)),
      row(p(17), 1),
      row(process.pid, p(10)),
    ];
    expect(pids(rows)).toEqual([10, 11, 12, 13, 14, 16]);
  });

  it('are found when the root is gone already', () => {
    expect(pids([row(p(11), 1, { group: p(10) }), row(p(12), p(11))])).toEqual([11, 12]);
  });

  it('are not those of a process that got the same pid later, nor of another boot', () => {
    const rows = [row(p(10), 1, { started: '200' }), row(p(11), p(10), { group: p(10), started: '201' })];
    expect(pids(rows)).toEqual([]);
    expect(pids([row(p(10), 1)], 'another')).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('are never older than the root', () => {
    expect(pids([row(p(10), 1), row(p(11), 1, { group: p(10), started: '99' })])).toEqual([10]);
  });
});
