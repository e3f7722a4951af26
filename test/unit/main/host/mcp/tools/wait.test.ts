import { describe, expect, it } from 'vitest';
import type { Bot } from '../../../../../../src/contract/bot.ts';
import { PlatformError } from '../../../../../../src/contract/errors.ts';
import type { ToolCaller } from '../../../../../../src/main/host/mcp/tool.ts';
import { BOT_WAIT } from '../../../../../../src/main/host/mcp/tools/wait.ts';

const BOT = {
  bot_id: 'bot_1',
  name: 'one',
  status: 'running',
  last_run: null,
  reason: null,
  hold: null,
  arming: null,
  health: { state: 'ok', reason: null },
};

/** The streams of a wait, opened and closed, and the ways in which it can end. */
class Followed {
  readonly ended = new AbortController();
  open = 0;
  told = 0;
  /** Answers that a stream which begins waits for. */
  begins: Promise<unknown> = Promise.resolve();
  push: (event: unknown, id: string) => void = () => undefined;

  readonly caller = {
    signal: new AbortController().signal,
    progress: () => {
      this.told += 1;
    },
    whileOpen: (work: (ended: AbortSignal) => Promise<unknown>) => work(this.ended.signal),
    call: async (name: string) => (name === 'bots.get' ? (BOT as unknown as Bot) : { types: [] }),
    follow: async (_: string, __: object, reader: { start: (id: string) => void; push: Followed['push'] }) => {
      await this.begins;
      this.open += 1;
      this.push = reader.push;
      reader.start('7');
      return () => {
        this.open -= 1;
      };
    },
  } as unknown as ToolCaller;

  wait(until: object, timeout_sec = 60) {
    return BOT_WAIT.run({ bot_id: 'bot_1', until, timeout_sec } as never, this.caller);
  }
}

const METRIC = { metric: { type: 'signal' } };
const row = (seq: number) => ({ seq, ts: '2026-01-01T00:00:00.000Z', type: 'signal', data: { n: seq }, run_id: null });

describe('a wait leaves nothing behind', () => {
  it.each([
    ['a metric that comes', METRIC, (one: Followed) => one.push({ logs: [], metrics: [row(8)], seq: 9 }, '9')],
    ['a client that gives up', METRIC, (one: Followed) => one.ended.abort()],
    ['a status that is there already', { status: 'running' }, () => undefined],
    ['a client that gave up before', { status: 'failed' }, (one: Followed) => one.ended.abort()],
  ])('after %s', async (_, until, end) => {
    const one = new Followed();
    const answer = one.wait(until);
    await one.begins;
    await Promise.resolve();
    end(one);
    expect((await answer).data.bot_id).toBe('bot_1');
    expect(one.open).toBe(0);
  });

  it('after its time, and answers where to go on', async () => {
    const one = new Followed();
    const { data } = await one.wait(METRIC, 0.01);
    expect(data).toMatchObject({ timed_out: true, matched: null });
    expect(one.open).toBe(0);
  });

  it('where it ends while its stream begins, or no stream begins', async () => {
    const late = new Followed();
    const begun = Promise.withResolvers<void>();
    late.begins = begun.promise;
    const answer = late.wait(METRIC);
    late.ended.abort(new PlatformError('INVALID_API_KEY'));
    begun.resolve();
    await expect(answer).rejects.toThrow('API key is invalid');
    expect(late.open).toBe(0);

    const none = new Followed();
    none.begins = Promise.reject(new PlatformError('BOT_NOT_FOUND'));
    await expect(none.wait(METRIC)).rejects.toThrow('Bot not found');
    expect(none.open).toBe(0);
  });

  it('hears nothing after what it waited for: that is for the next call', async () => {
    const one = new Followed();
    const answer = one.wait(METRIC);
    await one.begins;
    await Promise.resolve();
    one.push({ logs: [], metrics: [row(8), row(9)], seq: 9 }, '9');
    one.push({ logs: [], metrics: [row(10)], seq: 10 }, '10');
    const { data } = await answer;
    expect(data.matched).toMatchObject({ data: { n: 8 } });
    expect(JSON.parse(Buffer.from(String(data.cursor), 'base64url').toString())).toMatchObject({ after: 8 });
  });
});
