import { expect, it } from 'vitest';
import { createSseParser, formatSse, type SseEvent } from '../../../src/shared/sse.ts';
import { SeededRandom, testSeed } from '../../support/seeded-random.ts';

const EVENTS: readonly SseEvent[] = [
  { id: '1', event: 'message', data: '{"a":1}' },
  { id: '2', event: 'gap', data: 'one\ntwo\n\nthree' },
  { id: '2', event: 'message', data: '' },
  { id: '3', event: 'message', data: ': not a comment' },
];
const STREAM = `${formatSse({ id: '1', data: '{"a":1}' })}: keep-alive\n\n${formatSse({ id: '2', event: 'gap', data: 'one\ntwo\n\nthree' })}retry: 1000\n\ndata\n\n${formatSse({ id: '3', data: ': not a comment' })}`;

function read(pieces: readonly string[]): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createSseParser((event) => events.push(event));
  for (const piece of pieces) parser.push(piece);
  return events;
}

it.each([
  ['\\n', '\n'],
  ['\\r\\n', '\r\n'],
  ['\\r', '\r'],
])('reads events with lines that end in %s, cut into two anywhere, and into single characters', (_, end) => {
  const stream = `\uFEFF${STREAM.replaceAll('\n', end)}`;
  expect(read([...stream])).toEqual(EVENTS);
  for (let at = 0; at <= stream.length; at++) {
    expect(read([stream.slice(0, at), stream.slice(at)]), `cut at ${at}`).toEqual(EVENTS);
  }
});

it('reads events that are cut anywhere', () => {
  const seed = testSeed();
  const random = new SeededRandom(seed);
  for (let round = 0; round < 500; round++) {
    const pieces: string[] = [];
    for (let at = 0; at < STREAM.length; ) {
      const size = 1 + random.below(12);
      pieces.push(STREAM.slice(at, at + size));
      at += size;
    }
    expect(read(pieces), `TEST_SEED=${seed}`).toEqual(EVENTS);
  }
});

it('does not give out what the stream ended in the middle of', () => {
  expect(read(['data: whole\n\n', 'id: 5\ndata: ha'])).toEqual([{ id: '', event: 'message', data: 'whole' }]);
});

it('knows what to read on after, also of an event without data, and of none that was cut', () => {
  const parser = createSseParser(() => undefined);
  const after = ['retry: 1000\n\n', 'id: 4\n', '\n', 'id: 5\ndata: x\n\n: keep-alive\n\n', 'id: 6\ndata: ha'].map(
    (piece) => {
      parser.push(piece);
      return parser.lastId;
    },
  );
  expect(after).toEqual(['', '', '4', '5', '5']);
});

it('ends where a line or an event grows over the limit', () => {
  const parser = createSseParser(() => undefined, { maxChars: 10 });
  parser.push('data: 123\n\n');
  expect(() => parser.push('data: 12345678')).toThrow(/more than 10 characters/);
});
