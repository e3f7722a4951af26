import { describe, expect, it } from 'vitest';
import type { ProcessRow } from '../../../src/node/process-table.ts';
import { parentsFirst } from '../../../src/node/process-tree.ts';

const row = (pid: number, parent: number): ProcessRow => ({
  pid,
  parent,
  group: pid,
  session: pid,
  started: '1',
  zombie: false,
  threads: 1,
  cpuMs: 0,
  residentBytes: 0,
});
const order = (rows: readonly ProcessRow[]): number[] => parentsFirst(rows).map(({ pid }) => pid);

describe('the order in which the processes of a tree are asked to end', () => {
  it('puts a supervisor before its program, and the program before its children, however they are listed', () => {
    const [launcher, supervisor, program, child] = [row(900, 1), row(40, 900), row(30, 40), row(35, 30)] as const;
    for (const rows of [
      [child, program, supervisor, launcher],
      [program, child, launcher, supervisor],
    ])
      expect(order(rows)).toEqual([900, 40, 30, 35]);
  });

  it('begins with each process whose parent is none of the tree', () =>
    expect(order([row(12, 11), row(11, 1), row(22, 21), row(21, 7)])).toEqual([11, 21, 12, 22]));

  it('names every process once, also where parents make a circle', () =>
    expect(order([row(5, 6), row(6, 5), row(1, 0)])).toEqual([1, 5, 6]));
});
