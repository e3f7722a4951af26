import { describe, expect, it } from 'vitest';
import type { BotEvent } from '../../../../../../src/contract/bot.ts';
import {
  edgesOf,
  LINE_PX,
  type Place,
  roomAbove,
  roomBelow,
  rowAt,
  seqAt,
} from '../../../../../../src/renderer/pages/bot/logs/layout.ts';
import { piecesOf } from '../../../../../../src/renderer/pages/bot/logs/line-pieces.ts';
import {
  filterQuery,
  keeps,
  NO_FILTER,
  readAddress,
  writeAddress,
} from '../../../../../../src/renderer/pages/bot/logs/log-filter.ts';
import { asText, detailOf } from '../../../../../../src/renderer/pages/bot/logs/log-text.ts';
import { rowOf, toRows } from '../../../../../../src/renderer/pages/bot/logs/rows.ts';
import { hitsInWords } from '../../../../../../src/renderer/pages/bot/logs/search-words.ts';
import { clock, fromInput, stamp, toInput } from '../../../../../../src/renderer/pages/bot/logs/stamps.ts';
import { rangeInWords } from '../../../../../../src/renderer/pages/bot/logs/time-range.ts';
import { entriesOf, entryOf } from './make-entry.ts';

describe('filters', () => {
  it('are the same in an address, a question to the host and a live line', () => {
    const address = '?level=warn&source=stderr&from=2026-09-30T12%3A00%3A00.000Z&run=run_1&q=a+%26+b&only=1&line=7';
    const read = readAddress(address);
    expect(writeAddress(read)).toBe(address);
    const filter = {
      level: read.level,
      source: read.source,
      from: read.from,
      to: read.to,
      run: read.run,
      text: 'a & b',
    };
    expect(filterQuery(filter)).toEqual({
      level: 'warn',
      source: 'stderr',
      run_id: 'run_1',
      search: 'a & b',
      date_range: '2026-09-30T12:00:00.000Z/9999-12-31',
    });
    const kept = { level: 'error', source: 'stderr', message: 'x A & B' } as const;
    expect(keeps(filter, entryOf(1, kept))).toBe(true);
    for (const change of [{ level: 'info' }, { source: 'stdout' }, { run_id: null }, { message: 'x' }] as const) {
      expect(keeps(filter, entryOf(1, { ...kept, ...change }))).toBe(false);
    }
    expect(keeps({ ...NO_FILTER, to: entryOf(1).ts }, entryOf(1))).toBe(false);
    expect(keeps({ ...NO_FILTER, text: 'aapl' }, entryOf(1, { fields: { symbol: 'AAPL' } }))).toBe(true);
  });

  it('leave out of an address what cannot be meant', () => {
    expect(writeAddress(readAddress('?level=loud&source=x&from=never&line=-3&other=1'))).toBe('');
  });
});

describe('rows', () => {
  const event = (id: number, seq: number, kind: string): BotEvent => ({
    event_id: id,
    bot_id: 'bot_1',
    at: entryOf(seq).ts,
    kind,
    status: null,
    health: null,
    reason: null,
    run_id: null,
    changes: [],
  });
  const show = (rows: ReturnType<typeof toRows>): string[] =>
    rows.map((row) => (row.kind === 'line' ? String(row.seq) : row.kind));

  it('have rules where a run begins, where something was changed, and where a day begins', () => {
    const entries = [entryOf(1), entryOf(2), entryOf(3, { run_id: 'run_2' }), entryOf(4), entryOf(50_000)];
    const rows = toRows({
      entries,
      events: [event(1, 0, 'deployed'), event(2, 3, 'updated')],
      zone: 'UTC',
      atStart: true,
      atEnd: true,
    });
    expect(show(rows)).toEqual(['event', 'run', '1', '2', 'event', 'run', '3', '4', 'day', '50000']);
    expect([rowOf(rows, 3), rowOf(rows, 60_000), rowOf([], 1)]).toEqual([6, 9, -1]);
  });

  it('claim nothing about what lies outside of the window', () => {
    const events = [event(1, 1, 'deployed'), event(2, 99, 'updated')];
    const input = { entries: entriesOf(10, 12), events, zone: 'UTC' } as const;
    expect(show(toRows({ ...input, atStart: false, atEnd: false }))).toEqual(['10', '11', '12']);
    expect(show(toRows({ ...input, atStart: false, atEnd: true }))).toEqual(['10', '11', '12', 'event']);
  });
});

describe('layout', () => {
  const place: Place = {
    first: 1,
    last: 1_000_000,
    from: 500_000,
    to: 501_000,
    atStart: false,
    atEnd: false,
    density: 1,
  };

  it('finds rows by height', () => {
    const edges = edgesOf([10, 30, 10]);
    expect([...edges]).toEqual([0, 10, 40, 50]);
    expect([-5, 0, 10, 39, 40, 500].map((y) => rowAt(edges, y))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('gives what is not held its share of a bounded height', () => {
    const sum = roomAbove(place) + roomBelow(place);
    expect(sum).toBeGreaterThan(11_900_000);
    expect(sum).toBeLessThan(12_100_000);
    expect(roomAbove({ ...place, last: 500_000, from: 400, to: 500 })).toBeCloseTo(399 * LINE_PX, -2);
    expect([roomAbove({ ...place, atStart: true }), roomBelow({ ...place, atEnd: true })]).toEqual([0, 0]);
  });

  it('knows which line belongs to a height', () => {
    const top = roomAbove(place);
    expect(seqAt(place, 0, top, 1000)).toBe(1);
    expect(seqAt(place, top / 2, top, 1000)).toBe(250_001);
    expect(seqAt(place, top + 500, top, 1000)).toBeNull();
    expect(seqAt(place, top + 1000 + roomBelow(place), top, 1000)).toBe(1_000_000);
  });
});

describe('pieces of a line', () => {
  const shown = (line: string, hasMasks: boolean, search: string): string[] =>
    piecesOf(line, hasMasks, search).map(({ text, style, masked, hit }) =>
      [text, style?.fg, masked ? 'masked' : null, hit ? 'hit' : null].filter(Boolean).join('|'),
    );

  it('marks hits in any case, across colours', () => {
    expect(shown('an Order and oRDer', false, 'order')).toEqual(['an ', 'Order|hit', ' and ', 'oRDer|hit']);
    expect(shown('\u001b[31mor\u001b[0mder x', false, 'order')).toEqual(['or|red|hit', 'der|hit', ' x']);
  });

  it('shows masked places only where the host has masked', () => {
    expect(shown('token *** and ***', true, '')).toEqual(['token ', '***|masked', ' and ', '***|masked']);
    expect(shown('rating ***', false, '')).toEqual(['rating ***']);
    expect(shown('a *** b', true, '* b')).toEqual(['a ', '***|masked', ' b|hit']);
  });

  it('loses no character', () => {
    const line = '\u001b[1mlogin\u001b[0m *** as \u001b[32mbob\u001b[0m ***';
    expect(
      piecesOf(line, true, 'o')
        .map((piece) => piece.text)
        .join(''),
    ).toBe('login *** as bob ***');
  });
});

describe('words', () => {
  it('writes times as they were chosen', () => {
    const at = '2026-09-30T12:34:56.789Z';
    expect([clock(at, 'UTC'), stamp(at, 'relative', Date.parse(at) + 90_000)]).toEqual(['12:34:56.789', '1 min ago']);
    expect(fromInput(toInput(at, 'local'), 'local')).toBe('2026-09-30T12:34:56.000Z');
    expect(fromInput('2026-09-30T12:34', 'UTC')).toBe('2026-09-30T12:34:00.000Z');
    expect([fromInput('', 'UTC'), fromInput('x', 'local')]).toEqual([null, null]);
  });

  it('names ranges of time', () => {
    const [a, b] = ['2026-09-30T12:00:00.000Z', '2026-09-30T13:30:00.000Z'];
    expect([rangeInWords(null, null, 'UTC'), rangeInWords(a, null, 'UTC'), rangeInWords(null, b, 'UTC')]).toEqual([
      'All times',
      'since 09-30 12:00',
      'until 09-30 13:30',
    ]);
    expect(rangeInWords(a, b, 'UTC')).toBe('09-30 12:00 – 13:30');
  });

  it('counts hits from the oldest once all are known', () => {
    const state = { text: 'x', hits: [3, 5, 9], complete: true, looking: false, current: 5, error: null };
    expect(hitsInWords(state)).toBe('2 of 3');
    expect(hitsInWords({ ...state, complete: false })).toBe('3+');
    expect(hitsInWords({ ...state, hits: [], looking: true })).toBe('Looking…');
    expect(hitsInWords({ ...state, hits: [] })).toBe('No hits');
  });

  it('copies a line without its colours, and sets out what JSON says', () => {
    const entry = entryOf(1, { message: '\u001b[31mred\u001b[0m', fields: { a: 1 }, level: 'warn' });
    expect(asText(entry)).toBe('2026-09-30T12:00:01.000Z warn  stdout red {"a":1}');
    expect([detailOf(entry), detailOf(entryOf(1, { message: '[1]' }))]).toEqual(['{\n  "a": 1\n}', '[\n  1\n]']);
    expect([detailOf(entryOf(1)), detailOf(entryOf(1, { message: '{no' }))]).toEqual([null, null]);
  });
});
