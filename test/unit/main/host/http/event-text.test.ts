import { expect, it } from 'vitest';
import { eventMessage, eventSse } from '../../../../../src/main/host/http/event-text.ts';
import { LiveHub } from '../../../../../src/main/host/logs/live-hub.ts';
import { formatSse } from '../../../../../src/shared/sse.ts';

it('makes the text of an event once for all its readers', () => {
  let made = 0;
  const event = {
    toJSON() {
      made += 1;
      return { text: 'two\nlines €' };
    },
  };
  const message = eventMessage(3, event, '7');
  expect(eventMessage(3, event, '7')).toBe(message);
  expect(message.toString()).toBe('{"id":3,"event":{"text":"two\\nlines €"},"cursor":"7"}');
  expect(JSON.parse(eventMessage(4, event, '7').toString())).toMatchObject({ id: 4, cursor: '7' });
  expect(JSON.parse(eventMessage(4, event, '8').toString())).toMatchObject({ id: 4, cursor: '8' });
  const bytes = eventSse('7', event);
  expect(eventSse('7', event)).toBe(bytes);
  expect(bytes.toString()).toBe(formatSse({ id: '7', data: '{"text":"two\\nlines €"}' }));
  expect(eventSse('8', event).toString()).toBe(formatSse({ id: '8', data: '{"text":"two\\nlines €"}' }));
  expect(made).toBe(1);
});

it('gives all readers of a bot the same batch', async () => {
  const hub = new LiveHub({
    watch: async () => 4,
    unwatch: () => undefined,
    acknowledge: () => undefined,
    stored: async () => ({ logs: [], metrics: [], seq: 4 }),
    judged: async () => ({ logs: [], metrics: [], seq: 4 }),
    onError: (error) => {
      throw error;
    },
  });
  const seen: unknown[] = [];
  const push = (batch: unknown): boolean => seen.push(batch) > 0;
  const ends = [await hub.subscribe('bot_1', null, { push }), await hub.subscribe('bot_1', null, { push })];
  hub.committed({ botId: 'bot_1', first: 5, seq: 5, logs: [], metrics: [] });
  expect(seen).toEqual(Array(2).fill({ logs: [], metrics: [], seq: 5 }));
  expect(seen[0]).toBe(seen[1]);
  for (const end of ends) end();
});
