import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../../src/contract/account.ts';
import { noEntries, readTrail, withNewest, withOlder } from '../../../../src/renderer/data/audit-trail.ts';

const entry = (audit_id: number, operation = 'keys.create'): AuditEntry => ({
  audit_id,
  at: '2026-01-31T00:00:00.000Z',
  user_id: 'user_1',
  method: 'session',
  key_id: null,
  client: null,
  operation,
  target: null,
  outcome: 'ok',
  duration_ms: 1,
  names: {},
  by: 'owner',
  deed: 'made a key',
});
/** A host with these entries, newest first. */
const hostOf = (entries: readonly AuditEntry[]) => {
  const host = { reads: 0 };
  const read = async ({ limit = 100, before }: { limit?: number | undefined; before?: number | undefined }) => {
    host.reads += 1;
    return { items: entries.filter(({ audit_id }) => before === undefined || audit_id < before).slice(0, limit) };
  };
  return { host, read };
};
const down = (count: number, operation: (id: number) => string = () => 'keys.create'): AuditEntry[] =>
  Array.from({ length: count }, (_, i) => entry(count - i, operation(count - i)));

describe('readTrail', () => {
  it('gives page after page, each entry once, and says when there are no older ones', async () => {
    const { read } = hostOf(down(120));
    const ids: number[] = [];
    let before: number | null = null;
    do {
      const page = await readTrail(read, before);
      ids.push(...page.entries.map(({ audit_id }) => audit_id));
      before = page.before;
    } while (before !== null);
    expect(ids).toEqual(Array.from({ length: 120 }, (_, i) => 120 - i));
  });

  it('passes over what assistants did, however much lies between', async () => {
    const { read } = hostOf(down(2000, (id) => (id === 1 || id === 1500 ? 'bots.stop' : 'mcp bot_list')));
    const page = await readTrail(read, null);
    expect([page.entries.map(({ audit_id }) => audit_id), page.before]).toEqual([[1500, 1], null]);
  });

  it('asks for what was chosen, and shows what assistants did where they are', async () => {
    const asked: unknown[] = [];
    const { read } = hostOf(down(3, () => 'mcp bot_list'));
    const reading: typeof read = (input) => {
      asked.push(input);
      return read(input);
    };
    expect((await readTrail(reading, 3, { by: 'claude-code', action: 'list' })).entries).toHaveLength(2);
    expect((await readTrail(reading, null, { by: 'person' })).entries).toEqual([]);
    expect(asked).toEqual([
      { limit: 500, before: 3, by: 'claude-code', action: 'list' },
      { limit: 500, by: 'person' },
    ]);
  });

  it('stops after a while, where it can be gone on', async () => {
    const { host, read } = hostOf(down(9000, (id) => (id === 1 ? 'bots.stop' : 'mcp bot_list')));
    const first = await readTrail(read, null);
    expect([first.entries, first.before, host.reads]).toEqual([[], 4001, 10]);
    expect((await readTrail(read, first.before)).entries).toHaveLength(1);
  });
});

describe('what was read of the trail', () => {
  const page = (before: number | null, ...ids: number[]) => ({ entries: ids.map((id) => entry(id)), before });
  const seen = (found: ReturnType<typeof withOlder>) => [found?.entries.map((one) => one.audit_id), found?.before];

  it('keeps its older entries when the newest are read again', () => {
    const known = page(2, 6, 5, 4, 3, 2);
    expect(seen(withNewest(known, page(5, 8, 7, 6, 5)))).toEqual([[8, 7, 6, 5, 4, 3, 2], 2]);
    expect(seen(withNewest(known, page(4, 5, 4)))).toEqual([[6, 5, 4, 3, 2], 2]);
    expect(seen(withNewest(page(null, 2, 1), page(null, 3, 2, 1)))).toEqual([[3, 2, 1], null]);
  });

  it('begins anew where something lies between', () => {
    expect(seen(withNewest(page(2, 3, 2), page(7, 9, 8, 7)))).toEqual([[9, 8, 7], 7]);
    expect(seen(withNewest(page(40), page(7, 9, 8, 7)))).toEqual([[9, 8, 7], 7]);
    expect(seen(withNewest(null, page(null)))).toEqual([[], null]);
  });

  it('goes on with what was asked for from its end, and with nothing else', () => {
    expect(seen(withOlder(page(5, 6, 5), 5, page(3, 4, 3)))).toEqual([[6, 5, 4, 3], 3]);
    expect(seen(withOlder(page(7, 8, 7), 5, page(3, 4, 3)))).toEqual([[8, 7], 7]);
  });

  it('says that there is nothing only where all was read', () => {
    expect(noEntries(null, true)).toBe('Nothing yet.');
    expect(noEntries(null, false)).toBe('Nothing that this holds for.');
    expect(noEntries(4001, false)).toContain('among the newest');
  });
});
