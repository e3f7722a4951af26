import { expect, it, vi } from 'vitest';
import type { LedgerChanges } from '../../../../../src/contract/ledger-upkeep.ts';
import { concerns, followBooks } from '../../../../../src/renderer/data/ledger/changed-books.ts';
import type { HostSocket } from '../../../../../src/renderer/data/socket.ts';

it('opens one stream for all parts of a page, and ends it with the last of them', () => {
  const cancel = vi.fn();
  const events: ((changes: LedgerChanges) => void)[] = [];
  const stream = vi.fn((_name, _input, handlers: { event: (changes: LedgerChanges) => void }) => {
    events.push(handlers.event);
    return { cancel };
  });
  const socket = { stream } as unknown as HostSocket;
  const heard: string[] = [];
  const ends = ['a', 'b'].map((name) => followBooks(socket, () => heard.push(name)));
  events[0]?.({ items: [], incomplete: true });
  expect([stream.mock.calls.length, heard]).toEqual([1, ['a', 'b']]);
  ends[0]?.();
  expect(cancel).not.toHaveBeenCalled();
  ends[1]?.();
  expect(cancel).toHaveBeenCalledOnce();
  followBooks(socket, () => undefined);
  expect(stream).toHaveBeenCalledTimes(2);
});

it('concerns a part that shows the bot, prices only where it shows them, and every part after a loss', () => {
  const changes: LedgerChanges = { items: [{ bot_id: 'a', booked: false }], incomplete: false };
  expect(concerns(changes, { botId: 'a', marks: true })).toBe(true);
  expect(concerns(changes, { botId: 'a' })).toBe(false);
  expect(concerns(changes, { botId: 'b', marks: true })).toBe(false);
  expect(concerns({ items: [{ bot_id: 'b', booked: true }], incomplete: false }, {})).toBe(true);
  expect(concerns({ items: [], incomplete: true }, { botId: 'a' })).toBe(true);
});
