import { describe, expect, it } from 'vitest';
import { LastUsed } from '../../../../../src/main/host/auth/last-used.ts';

const MINUTE = 60_000;

function usedOn(disk: { full: boolean; broken?: boolean }) {
  const written = new Map<string, number>();
  const errors: unknown[] = [];
  const used = new LastUsed(
    (id, at) => {
      if (disk.full) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
      if (disk.broken === true) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' });
      written.set(id, at);
    },
    (_, error) => errors.push(error),
  );
  return { used, written, errors };
}

describe('the last use of a key', () => {
  it('is written once a minute', () => {
    const { used, written } = usedOn({ full: false });
    used.note('a', null, 5);
    expect([...written]).toEqual([['a', 5]]);
    used.note('a', 5, MINUTE);
    expect([...written]).toEqual([['a', 5]]);
    used.note('a', 5, MINUTE + 5);
    expect([...written]).toEqual([['a', MINUTE + 5]]);
  });

  it('stays in memory on a full disk until there is space', () => {
    const disk = { full: true };
    const { used, written, errors } = usedOn(disk);
    used.note('a', null, 5);
    used.note('b', 1, MINUTE * 2);
    expect([used.at('a', null), used.at('b', 1), used.at('c', 7)]).toEqual([5, MINUTE * 2, 7]);
    used.settle();
    disk.full = false;
    used.settle();
    expect([...written]).toEqual([
      ['a', 5],
      ['b', MINUTE * 2],
    ]);
    expect([used.at('a', 5), errors]).toEqual([5, []]);
  });

  it('fails no request on a broken disk, and is reported', () => {
    const { used, errors } = usedOn({ full: false, broken: true });
    used.note('a', null, 5);
    expect([used.at('a', null), errors.length]).toEqual([5, 1]);
  });
});
