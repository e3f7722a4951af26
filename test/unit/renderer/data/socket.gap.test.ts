import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HostSocket } from '../../../../src/renderer/data/socket.ts';

/** Connections of the page, the newest last; a test plays the host. */
const connections: FakeWebSocket[] = [];

class FakeWebSocket extends EventTarget {
  readonly sent: Record<string, unknown>[] = [];

  constructor() {
    super();
    connections.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  says(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  closes(): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code: 1006 }));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeWebSocket);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  connections.length = 0;
});

it('takes the end of a stream for an end after a gap whose own end was lost with the connection', () => {
  const socket = new HostSocket('ws://host');
  socket.open();
  const [first] = connections;
  first?.dispatchEvent(new Event('open'));
  const end = vi.fn();
  socket.stream('logs.stream', { bot_id: 'bot_1' }, { event: () => undefined, end });
  first?.says({ id: 1, event: { gap: { from_seq: 7, reason: 'slow' } }, cursor: '7' });
  first?.closes();
  vi.advanceTimersByTime(250);
  const second = connections[1];
  second?.dispatchEvent(new Event('open'));
  expect(second?.sent).toEqual([{ id: 1, stream: 'logs.stream', input: { bot_id: 'bot_1', after: 7 } }]);
  second?.says({ id: 1, end: true });
  expect(end).toHaveBeenCalledWith(null);
  expect(second?.sent).toHaveLength(1);
});
