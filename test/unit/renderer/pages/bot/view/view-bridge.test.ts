import { describe, expect, it } from 'vitest';
import { HostError } from '../../../../../../src/renderer/data/host-error.ts';
import { type StopReason, ViewBridge } from '../../../../../../src/renderer/pages/bot/view/view-bridge.ts';

const BOT = 'bot_mine';

interface Sent {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

/** A bridge with a host that answers everything with what it was asked. */
function bridge(read?: (name: string, input: object) => Promise<unknown>) {
  const sent: Sent[] = [];
  const asked: [string, object][] = [];
  const stopped: StopReason[] = [];
  const links: string[] = [];
  const streams: { input: object; event: (batch: object) => void; isOver: boolean }[] = [];
  let now = 0;
  let opens = true;
  const made = new ViewBridge({
    botId: BOT,
    socket: {
      read: ((name: string, input: object) => {
        asked.push([name, input]);
        return read?.(name, input) ?? Promise.resolve({ asked: name, types: [], events: [], keys: [] });
      }) as never,
      stream: ((_: string, input: object, { event }: { event: (batch: object) => void }) => {
        const stream = { input, event, isOver: false };
        streams.push(stream);
        return {
          cancel: () => {
            stream.isOver = true;
          },
        };
      }) as never,
    },
    post: (message) => sent.push(message as Sent),
    openLink: async (url) => {
      links.push(url.href);
      return opens;
    },
    context: () => ({ theme: 'dark', styles: { variables: { '--color-text-primary': '#fff' } } }),
    stop: (reason) => stopped.push(reason),
    now: () => now,
  });
  let id = 0;
  const request = async (method: string, params: object = {}): Promise<Sent> => {
    id += 1;
    const mine = id;
    made.receive({ jsonrpc: '2.0', id: mine, method, params });
    return expect
      .poll(() => sent.find((one) => one.id === mine))
      .toBeDefined()
      .then(() => sent.find((one) => one.id === mine) ?? {});
  };
  return {
    ...{ made, sent, asked, stopped, links, streams, request },
    tool: (name: unknown, given?: unknown) => request('tools/call', { name, arguments: given }),
    later: (ms: number) => {
      now += ms;
    },
    decline: () => {
      opens = false;
    },
  };
}

describe('the handshake', () => {
  it('tells how the page looks, and then which bot it is', async () => {
    const { made, sent, request } = bridge();
    expect((await request('ui/initialize')).result).toMatchObject({
      protocolVersion: '2026-01-26',
      hostContext: { theme: 'dark', displayMode: 'inline' },
    });
    made.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
    expect(sent.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'ui/notifications/tool-input',
      params: { arguments: { bot_id: BOT } },
    });
    made.contextChanged();
    expect(sent.at(-1)).toMatchObject({ method: 'ui/notifications/host-context-changed', params: { theme: 'dark' } });
  });
});

describe('questions', () => {
  it.each([
    ['metrics_get', {}, 'metrics.get', {}],
    ['metrics_get', { type: 'price', limit: 3 }, 'metrics.list', { type: 'price', limit: 3 }],
    ['metrics_events', { after: 7 }, 'metrics.list', { after: 7 }],
    ['metrics_series', { type: 'price', field: 'value' }, 'metrics.series', { type: 'price', field: 'value' }],
    ['bot_state_list', {}, 'state.list', {}],
    ['bot_state_get', { key: 'a' }, 'state.get', { key: 'a' }],
    ['bot_query', { query_path: '/status', params: { a: '1' } }, 'bots.query', { path: '/status', params: { a: '1' } }],
    ['ledger_get', { by: 'day' }, 'ledger.get', { by: 'day' }],
  ])('%s %j reads this bot', async (name, given, operation, input) => {
    const { tool, asked } = bridge();
    const { result } = await tool(name, { ...given, bot_id: BOT });
    expect(asked).toEqual([[operation, { ...input, bot_id: BOT }]]);
    expect(result?.isError).toBeUndefined();
    expect(JSON.parse(result?.content?.[0]?.text ?? '')).toBeTypeOf('object');
  });

  it.each([
    ['tools/call', { name: 'bot_stop' }],
    ['tools/call', { name: 'bots.stop' }],
    ['tools/call', { name: 'state.set', arguments: { key: 'a', value: 1 } }],
    ['tools/call', { name: '__proto__' }],
    ['tools/call', { name: 'constructor' }],
    ['tools/call', { name: 'bot_state_list', arguments: { bot_id: 'bot_other' } }],
    ['tools/call', { name: 'bot_state_list', arguments: { path: '/' } }],
    ['tools/call', { name: 'bot_state_get', arguments: 'key' }],
    ['tools/call', {}],
    ['resources/read', { uri: 'platform://bots/bot_other' }],
    ['resources/subscribe', { uri: 'platform://bots/bot_other/metrics' }],
    ['ui/message', { role: 'user', content: [] }],
    ['ui/update-model-context', {}],
    ['toString', {}],
  ])('%s %j is refused, and asks the host nothing', async (method, params) => {
    const { request, asked, streams } = bridge();
    expect((await request(method, params)).error?.message).toBeTypeOf('string');
    expect([asked, streams]).toEqual([[], []]);
  });

  it('passes on what the host says against one, as a result', async () => {
    const error = {
      code: 'STATE_KEY_NOT_FOUND',
      message: 'There is no key a',
      hint: 'Look.',
      details: null,
      request_id: null,
    } as const;
    const { tool } = bridge(() => Promise.reject(new HostError(error)));
    expect((await tool('bot_state_get', { key: 'a' })).result).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'There is no key a Look. (STATE_KEY_NOT_FOUND)' }],
    });
  });

  it('gives no answer that is too large', async () => {
    const { tool } = bridge(async () => ({ key: 'a', value: 'x'.repeat(3_000_000), modified_at: '' }));
    expect((await tool('bot_state_get', { key: 'a' })).result?.isError).toBe(true);
  });

  it('has more than may wait refused, and one query at a time asked', async () => {
    const { made, sent, asked } = bridge(() => new Promise(() => undefined));
    for (let id = 1; id <= 10; id += 1) {
      made.receive({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'bot_query', arguments: { query_path: '/' } },
      });
    }
    await expect.poll(() => sent.length).toBe(4);
    expect(asked.length).toBe(1);
  });

  it('is refused beyond so many a second, and goes on afterwards', async () => {
    const { tool, later } = bridge();
    const first = await Promise.all(Array.from({ length: 41 }, () => tool('bot_state_list')));
    expect(first.filter(({ error }) => error !== undefined).length).toBe(1);
    later(1000);
    expect((await tool('bot_state_list')).error).toBeUndefined();
  });
});

describe('floods', () => {
  it('stop a view, whatever it sends', () => {
    const { made, stopped, asked } = bridge();
    for (let count = 0; count < 301; count += 1) made.receive('anything');
    expect(stopped).toEqual(['flood']);
    expect(asked).toEqual([]);
  });

  it('of large messages stop it at the fourth, whenever it comes', () => {
    const { made, stopped, later } = bridge();
    const large = { jsonrpc: '2.0', id: 1, method: 'x'.repeat(100_000) };
    for (let count = 0; count < 3; count += 1) {
      made.receive(large);
      later(10_000);
    }
    expect(stopped).toEqual([]);
    made.receive(large);
    expect(stopped).toEqual(['flood']);
  });

  it('are over once it is closed', () => {
    const { made, stopped, sent } = bridge();
    made.close();
    for (let count = 0; count < 1000; count += 1) made.receive({ jsonrpc: '2.0', id: count, method: 'ping' });
    expect([stopped, sent]).toEqual([[], []]);
  });
});

describe('following metrics', () => {
  const uri = `platform://bots/${BOT}/metrics`;

  it('tells of many new ones once, and of none after the end', async () => {
    const { made, request, streams, sent } = bridge();
    await request('resources/subscribe', { uri });
    await request('resources/subscribe', { uri });
    expect(streams.map(({ input }) => input)).toEqual([{ bot_id: BOT }]);
    const notes = () => sent.filter(({ method }) => method === 'notifications/resources/updated').length;
    for (let count = 0; count < 5; count += 1) streams[0]?.event({ logs: [], metrics: [{}], seq: count });
    streams[0]?.event({ logs: [{}], metrics: [], seq: 9 });
    await expect.poll(notes).toBe(1);
    streams[0]?.event({ logs: [], metrics: [{}], seq: 10 });
    made.close();
    expect(streams[0]?.isOver).toBe(true);
  });
});

describe('links', () => {
  it('are asked about, and after a no never again', async () => {
    const { request, links, decline } = bridge();
    expect((await request('ui/open-link', { url: 'https://example.com/a' })).result).toEqual({});
    decline();
    expect((await request('ui/open-link', { url: 'https://example.com/b' })).error).toBeDefined();
    expect((await request('ui/open-link', { url: 'https://example.com/c' })).error).toBeDefined();
    expect(links).toEqual(['https://example.com/a', 'https://example.com/b']);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//example.com',
    'https://bank.example@evil.example/',
    'vscode://x',
    7,
    `https://example.com/${'x'.repeat(2000)}`,
  ])('%s is no link', async (url) => {
    const { request, links } = bridge();
    expect((await request('ui/open-link', { url })).error).toBeDefined();
    expect(links).toEqual([]);
  });
});
