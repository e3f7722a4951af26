import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, type TestContext } from 'vitest';
import type { BotEvent, BotStatus } from '../../../../src/contract/bot.ts';
import { BotWatch, type KnownBot } from '../../../../src/main/desktop/bot-watch.ts';
import { trayWords } from '../../../../src/main/desktop/tray-words.ts';
import { formatSse } from '../../../../src/shared/sse.ts';
import { until } from '../../../support/until.ts';

const bot = (name: string, status: BotStatus): KnownBot => ({
  bot_id: `bot_${name}`,
  name,
  status,
  health: { state: 'ok', failures: 0 },
});

/** A host whose list, timing and events the test controls. */
class Stage {
  items = [bot('a', 'running')];
  /** Lists that are asked for wait for this. */
  gate: Promise<unknown> = Promise.resolve();
  failures = 0;
  /** Where each follower asked to begin. */
  readonly resumed: (string | undefined)[] = [];
  readonly told: string[] = [];
  readonly errors: string[] = [];
  url = '';
  #stream: ServerResponse | null = null;

  readonly watch = new BotWatch({
    changed: () => undefined,
    event: (event, known) => this.told.push(`${event.event_id} ${known?.name}`),
    lost: () => undefined,
    wait: () => new Promise((resolve) => setImmediate(resolve)),
    onError: (where) => this.errors.push(where),
  });

  async begin(onTestFinished: TestContext['onTestFinished']): Promise<void> {
    const server = createServer((request, answer) => {
      if (request.url === '/api/v1/events') this.#open(request.headers['last-event-id'], answer);
      else void this.#list(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      this.watch.follow(null);
      server.closeAllConnections();
      server.close();
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.watch.follow({ url: this.url, token: 'local_x' });
  }

  #open(last: string | string[] | undefined, answer: ServerResponse): void {
    this.resumed.push(last?.toString());
    answer.writeHead(200).write('id: 7\n\n');
    this.#stream = answer;
  }

  async #list(answer: ServerResponse): Promise<void> {
    await this.gate;
    if (this.failures > 0) {
      this.failures -= 1;
      answer.writeHead(503).end();
    } else {
      const items = this.items.map((one) => ({ ...one, health: { ...one.health, reason: null } }));
      answer.end(JSON.stringify({ items }));
    }
  }

  tell(id: number, change: Partial<BotEvent>): void {
    const event = { event_id: id, bot_id: 'bot_a', kind: 'status', status: null, reason: null, ...change };
    this.#stream?.write(formatSse({ id: String(id), data: JSON.stringify(event) }));
  }

  gap(from_seq: number): void {
    const data = JSON.stringify({ gap: { from_seq, reason: 'The host was restored' } });
    this.#stream?.write(formatSse({ id: String(from_seq), event: 'gap', data }));
  }

  cut(): void {
    this.#stream?.destroy();
  }

  known(): Promise<true> {
    return until('the bots to be known', () => this.watch.isKnown, 10_000);
  }
}

describe('BotWatch', () => {
  it('knows no bots until the host has said which there are, and asks until it has', async ({ onTestFinished }) => {
    const stage = new Stage();
    stage.failures = 3;
    await stage.begin(onTestFinished);
    expect([stage.watch.isKnown, stage.watch.bots]).toEqual([false, []]);
    await stage.known();
    expect([stage.watch.bots, stage.errors]).toEqual([stage.items, ['list of bots']]);
    stage.tell(8, { status: 'failed' });
    await until('the change', () => stage.watch.bots[0]?.status === 'failed', 10_000);
    stage.watch.follow(null);
    expect(stage.watch.isKnown).toBe(false);
  });

  it('hears of what happened while it was cut off, also where nothing was told before', async ({ onTestFinished }) => {
    const stage = new Stage();
    await stage.begin(onTestFinished);
    await stage.known();
    stage.cut();
    await until('it to come again', () => stage.resumed.length === 2, 10_000);
    stage.tell(9, { status: 'failed' });
    await until('word of it', () => stage.told.length === 1, 10_000);
    // Another host of the same folder: a crash, and the next one.
    stage.watch.follow({ url: stage.url, token: 'local_y' });
    await until('it to come to the next host', () => stage.resumed.length === 3, 10_000);
    expect(stage.resumed).toEqual([undefined, '7', '9']);
  });

  it('takes a gap for no change of a bot, and reads on from there', async ({ onTestFinished }) => {
    const stage = new Stage();
    await stage.begin(onTestFinished);
    await stage.known();
    stage.gap(20);
    stage.tell(21, { status: 'failed' });
    await until('the change', () => stage.told.length > 0, 10_000);
    expect(stage.told).toEqual(['21 a']);
    stage.cut();
    await until('it to come again', () => stage.resumed.length === 2, 10_000);
    expect(stage.resumed).toEqual([undefined, '21']);
  });

  it('goes on counting a bot that keeps crashing, of which events tell no count', async ({ onTestFinished }) => {
    const stage = new Stage();
    await stage.begin(onTestFinished);
    await stage.known();
    const failing = () => trayWords(stage.watch.bots, true).failing.length;
    for (const [id, health, count] of [
      [8, 'recovering', 0],
      [9, 'crash_looping', 1],
      [10, 'recovering', 1],
      [11, 'ok', 0],
      [12, 'recovering', 0],
    ] as const) {
      stage.tell(id, { status: 'running', health });
      await until('word of it', () => stage.watch.bots[0]?.health.state === health, 10_000);
      expect([id, failing()]).toEqual([id, count]);
    }
  });

  it('tells of a new bot by its name', async ({ onTestFinished }) => {
    const stage = new Stage();
    await stage.begin(onTestFinished);
    await stage.known();
    const list = Promise.withResolvers<void>();
    stage.gate = list.promise;
    stage.items.push(bot('b', 'failed'));
    stage.tell(8, { bot_id: 'bot_b', kind: 'deployed' });
    stage.tell(9, { bot_id: 'bot_b', status: 'failed' });
    stage.tell(10, { status: 'stopped' });
    await until('the change of the other bot', () => stage.watch.bots[0]?.status === 'stopped', 10_000);
    list.resolve();
    await until('word of all', () => stage.told.length === 3, 10_000);
    expect(stage.told).toEqual(['10 a', '8 b', '9 b']);
  });

  it('lists the bots of the next host, also where the one before never answered', async ({ onTestFinished }) => {
    const stage = new Stage();
    const never = Promise.withResolvers<void>();
    stage.gate = never.promise;
    await stage.begin(onTestFinished);
    await until('it to follow', () => stage.resumed.length === 1, 10_000);
    stage.gate = Promise.resolve();
    stage.watch.follow({ url: stage.url, token: 'local_y' });
    await stage.known();
    never.resolve();
  });
});
