import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../../../src/contract/limits.ts';
import { HostSocket, type Link } from '../../../../src/renderer/data/socket.ts';

interface Sent {
  readonly id: number;
  readonly call?: string;
  readonly stream?: string;
  readonly input?: object;
}

class FakeWebSocket extends EventTarget {
  static all: FakeWebSocket[] = [];
  readonly sent: Sent[] = [];
  isClosed = false;

  constructor() {
    super();
    FakeWebSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.isClosed = true;
  }

  opens(): void {
    this.dispatchEvent(new Event('open'));
  }

  ends(code = 1006): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code }));
  }

  says(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  get calls(): (string | undefined)[] {
    return this.sent.map(({ call, stream }) => call ?? stream);
  }
}

const latest = (): FakeWebSocket => {
  const socket = FakeWebSocket.all.at(-1);
  if (socket === undefined) throw new Error('nothing was connected');
  return socket;
};
const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'done',
    (error) => error.code,
  );

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeWebSocket);
  FakeWebSocket.all = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function opened(): HostSocket {
  const socket = new HostSocket('ws://host');
  socket.open();
  latest().opens();
  return socket;
}

describe('the socket of a page', () => {
  it('keeps what is asked before the first connection', async () => {
    const socket = new HostSocket('ws://host');
    socket.open();
    const list = socket.read('bots.list', {});
    void socket.call('bots.stop', { bot_id: 'bot_1' });
    expect(latest().sent).toEqual([]);
    latest().opens();
    expect(latest().calls).toEqual(['bots.list', 'bots.stop']);
    latest().says({ id: 1, result: { items: [] } });
    expect(await list).toEqual({ items: [] });
  });

  it('gives up changes when the first connection does not come about', async () => {
    const socket = new HostSocket('ws://host');
    socket.open();
    const stop = codeOf(socket.call('bots.stop', { bot_id: 'bot_1' }));
    void socket.read('bots.list', {});
    latest().ends();
    expect(await stop).toBe('CONNECTION_LOST');
    vi.advanceTimersByTime(250);
    latest().opens();
    expect(latest().calls).toEqual(['bots.list']);
  });

  it('refuses changes while the host is away, and lets reads wait', async () => {
    const socket = opened();
    const going = codeOf(socket.call('bots.start', { bot_id: 'bot_1' }));
    latest().ends();
    expect(await going).toBe('CONNECTION_LOST');
    expect(await codeOf(socket.call('bots.stop', { bot_id: 'bot_1' }))).toBe('CONNECTION_LOST');
    void socket.read('bots.list', {});
    vi.advanceTimersByTime(250);
    latest().opens();
    expect(latest().calls).toEqual(['bots.list']);
  });

  it('has the PIN asked for that a change needs, once, and goes on or gives up', async () => {
    const asked: boolean[] = [];
    const answers = [true, false, true];
    const socket = new HostSocket('ws://host', async (isChosen) => {
      asked.push(isChosen);
      return answers.shift() ?? false;
    });
    socket.open();
    latest().opens();
    const needs = (id: number, chosen: boolean): void =>
      latest().says({ id, error: { code: 'PIN_REQUIRED', message: '', hint: null, details: { chosen } } });
    const remove = { bot_id: 'bot_1', guard_id: 'guard_1' };
    const done = socket.call('guards.remove', remove);
    needs(1, false);
    await vi.waitFor(() => expect(latest().sent.length).toBe(2));
    latest().says({ id: 2, result: { ok: true } });
    expect(await done).toEqual({ ok: true });
    const kept = codeOf(socket.call('guards.remove', remove));
    needs(3, true);
    expect(await kept).toBe('PIN_REQUIRED');
    // It is not asked for again, whatever the host says to a PIN that it took.
    const twice = codeOf(socket.call('guards.remove', remove));
    needs(4, true);
    await vi.waitFor(() => expect(latest().sent.length).toBe(5));
    needs(5, true);
    expect(await twice).toBe('PIN_REQUIRED');
    const itself = codeOf(socket.call('pin.confirm', { pin: 'x' }, { mayAskPin: false }));
    needs(6, false);
    expect(await itself).toBe('PIN_REQUIRED');
    expect(asked).toEqual([false, true, true]);
  });

  it('gives up reads after half a minute, and the oldest of too many', async () => {
    const socket = opened();
    latest().ends();
    const reads = Array.from({ length: 201 }, () => codeOf(socket.read('bots.list', {})));
    expect(await reads[0]).toBe('CONNECTION_LOST');
    vi.advanceTimersByTime(30_000);
    expect(new Set(await Promise.all(reads))).toEqual(new Set(['CONNECTION_LOST']));
    latest().opens();
    expect(latest().sent).toEqual([]);
  });

  it('resumes its streams first, each once', () => {
    const socket = new HostSocket('ws://host');
    socket.open();
    socket.onLink((link) => {
      if (link === 'open') socket.stream('logs.stream', { bot_id: 'bot_2' }, { event: () => undefined });
    });
    void socket.read('bots.list', {});
    socket.stream('bots.stream', {}, { event: () => undefined });
    latest().opens();
    expect(latest().calls).toEqual(['bots.stream', 'bots.list', 'logs.stream']);
  });

  it('ends the attempt before when it is told to try now', () => {
    const socket = opened();
    latest().ends();
    socket.open();
    const early = latest();
    socket.open();
    expect(early.isClosed).toBe(true);
    early.opens();
    early.ends();
    expect(socket.link).toBe('lost');
    latest().opens();
    expect(socket.link).toBe('open');
    vi.advanceTimersByTime(60_000);
    expect(FakeWebSocket.all).toHaveLength(3);
  });

  it('does not send what the host would hang up for', async () => {
    const host = new HostSocket('ws://host');
    host.open();
    latest().opens();
    const write = (content: string): Promise<unknown> =>
      codeOf(host.call('projects.write', { project_id: 'prj_1', path: 'bot.py', content, version: null }));
    expect(await write('漢'.repeat(LIMITS.requestBytes / 3))).toBe('TOO_LARGE');
    expect(latest().calls).toEqual([]);
    void write('漢'.repeat(LIMITS.requestBytes / 3 - 100));
    expect(latest().calls).toEqual(['projects.write']);
  });

  it('says why it was closed, and does nothing any more', async () => {
    const socket = opened();
    const links: Link[] = [];
    socket.onLink((link) => links.push(link));
    const going = codeOf(socket.read('bots.list', {}));
    socket.close('changed');
    expect(latest().isClosed).toBe(true);
    expect(await going).toBe('CONNECTION_LOST');
    expect(await codeOf(socket.read('bots.list', {}))).toBe('CONNECTION_LOST');
    latest().ends();
    socket.open();
    vi.advanceTimersByTime(60_000);
    socket.close();
    expect([FakeWebSocket.all.length, links, socket.link]).toEqual([1, ['changed'], 'changed']);
  });

  it('gives up what waits when it is closed before it was open', async () => {
    const socket = new HostSocket('ws://host');
    socket.open();
    const waiting = codeOf(socket.read('bots.list', {}));
    socket.close();
    expect(await waiting).toBe('CONNECTION_LOST');
  });
});
