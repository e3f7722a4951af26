import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunTrigger } from '../../../../../src/contract/bot.ts';
import { Preparations } from '../../../../../src/main/host/bots/preparation.ts';
import { PREPARING } from '../../../../../src/main/host/bots/reasons.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import type { Progress } from '../../../../../src/main/host/engine/engine.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Preparations over bots that are rows in memory, and one engine that gets ready when the test says so. */
function setup() {
  const rows = new Map<string, BotRow>();
  const lines: string[] = [];
  const woken: string[] = [];
  const changes: Partial<BotRow>[] = [];
  const engine = { name: 'docker', ready: false, begun: 0, progress: (() => undefined) as Progress };
  let held = Promise.withResolvers<void>();
  const bot = (botId: string, over: Partial<BotRow> = {}): BotRow => {
    const row = { botId, type: 'realtime', engine: 'docker', status: 'starting', reason: null, ...over };
    rows.set(botId, row as BotRow);
    return row as BotRow;
  };
  const preparations = new Preparations({
    bots: { get: (botId: string) => rows.get(botId) ?? null },
    journal: {
      change: (botId: string, change: Partial<BotRow>) => {
        changes.push(change);
        rows.set(botId, { ...rows.get(botId), ...change } as BotRow);
      },
    },
    unitSpecs: {
      runtimeOf: () => ({ runtime: 'python311' }),
      engineOf: () => ({
        name: engine.name,
        isReady: () => engine.ready,
        prepare: (_: string, progress: Progress) => {
          engine.begun += 1;
          engine.progress = progress;
          return held.promise;
        },
      }),
    },
    telemetry: {
      hostLine: (botId: string, level: string, message: string) => lines.push(`${botId} ${level} ${message}`),
    },
    wake: (botId: string, trigger: string) => woken.push(`${botId} ${trigger}`),
    now: () => Date.now(),
    onError: (where: string, error: unknown) => lines.push(`${where} ${error}`),
  } as unknown as ConstructorParameters<typeof Preparations>[0]);
  const end = async (error?: Error): Promise<void> => {
    if (error === undefined) {
      engine.ready = true;
      held.resolve();
    } else held.reject(error);
    held = Promise.withResolvers();
    await vi.advanceTimersByTimeAsync(0);
  };
  /** What a plan does about a bot that is to start: true while it waits. */
  const holds = (bot: BotRow, trigger: RunTrigger): boolean => {
    if (!preparations.isNeeded(bot)) return false;
    preparations.begin(bot, trigger, bot.status !== 'starting' || bot.reason?.code !== PREPARING);
    return true;
  };
  return { preparations, holds, bot, rows, lines, woken, changes, engine, end };
}

describe('a realtime bot whose engine is not ready', () => {
  it('says that it waits, once, shares the preparation with others, and is woken', async () => {
    const { preparations, holds, bot, rows, lines, woken, changes, engine, end } = setup();
    expect(holds(bot('bot_1'), 'deploy')).toBe(true);
    expect(holds(bot('bot_2'), 'boot')).toBe(true);
    expect(engine.begun).toBe(1);
    expect(rows.get('bot_1')).toMatchObject({ status: 'starting', reason: { code: 'PREPARING' } });
    const told = changes.length;
    expect(holds(rows.get('bot_1') as BotRow, 'restart')).toBe(true);
    expect(changes).toHaveLength(told);
    expect(await preparations.settled('bot_3', 1)).toBe(true);
    const settled = preparations.settled('bot_1', 1000);
    await end();
    expect(await settled).toBe(true);
    expect(woken).toEqual(['bot_1 deploy', 'bot_2 boot']);
    expect(holds(rows.get('bot_1') as BotRow, 'deploy')).toBe(false);
    expect(preparations.take('bot_1')).toBeNull();
    expect(lines.filter((line) => line.startsWith('bot_1'))).toEqual([
      'bot_1 info Before it can run: engine docker gets ready for python311',
      'bot_1 info What it needs to run is there now',
    ]);
  });

  it('starts with what went wrong, and the start after that prepares anew', async () => {
    const { preparations, holds, bot, woken, engine, end } = setup();
    holds(bot('bot_1'), 'deploy');
    await end(new Error('no such image'));
    expect(woken).toEqual(['bot_1 deploy']);
    expect(holds(bot('bot_1'), 'deploy')).toBe(false);
    expect(preparations.take('bot_1')).toMatchObject({ message: 'no such image' });
    expect(preparations.take('bot_1')).toBeNull();
    expect(holds(bot('bot_1'), 'restart')).toBe(true);
    expect(engine.begun).toBe(2);
  });

  it('tells how far it is every 2 s at most, and only what is new', async () => {
    const { holds, bot, rows, changes, engine } = setup();
    holds(bot('bot_1'), 'deploy');
    const before = changes.length;
    for (const mb of [1, 2, 3]) engine.progress(`Getting an image: ${mb} of 45 MB`);
    expect(changes).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(2000);
    expect(changes).toHaveLength(before + 1);
    expect(rows.get('bot_1')?.reason?.message).toBe('Getting an image: 3 of 45 MB');
    engine.progress('Getting an image: 3 of 45 MB');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(changes).toHaveLength(before + 1);
  });

  it('is neither woken nor changed once it is not to run; those who still wait are', async () => {
    const { preparations, holds, bot, lines, woken, changes, engine, end } = setup();
    holds(bot('bot_1'), 'deploy');
    holds(bot('bot_2'), 'deploy');
    preparations.end('bot_1');
    bot('bot_1', { status: 'stopped' });
    const before = changes.length;
    engine.progress('half-way');
    await vi.advanceTimersByTimeAsync(2000);
    await end();
    expect(changes).toHaveLength(before + 1);
    expect(woken).toEqual(['bot_2 deploy']);
    expect(lines.filter((line) => line.startsWith('bot_1'))).toHaveLength(1);
  });

  it('leaves the preparation of the engine that it had', async () => {
    const { holds, bot, woken, engine, end } = setup();
    holds(bot('bot_1'), 'deploy');
    engine.name = 'other';
    holds(bot('bot_1'), 'update');
    expect(engine.begun).toBe(2);
    await end();
    expect(woken).toEqual(['bot_1 update']);
  });

  it('does not keep a request waiting for long', async () => {
    const { preparations, holds, bot } = setup();
    holds(bot('bot_1'), 'deploy');
    const settled = preparations.settled('bot_1', 5000);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await settled).toBe(false);
  });

  it('hears nothing after the host has closed', async () => {
    const { preparations, holds, bot, woken, lines, changes, engine, end } = setup();
    holds(bot('bot_1'), 'deploy');
    const before = [lines.length, changes.length];
    engine.progress('half-way');
    preparations.close();
    await vi.advanceTimersByTimeAsync(5000);
    await end();
    expect(woken).toEqual([]);
    expect([lines.length, changes.length]).toEqual(before);
  });
});

describe('a scheduled bot whose engine is not ready', () => {
  it('is prepared ahead; what goes wrong is told before it is due', async () => {
    const { preparations, bot, rows, lines, woken, end } = setup();
    preparations.ahead(bot('bot_1', { type: 'scheduled', status: 'scheduled' }));
    await end(new Error('no such image'));
    expect(woken).toEqual([]);
    expect(rows.get('bot_1')).toMatchObject({ status: 'scheduled', reason: { code: 'START_FAILED' } });
    expect(lines.at(-1)).toMatch(/^bot_1 warn .*no such image.*tried again when the bot is due/);
  });

  it('lets a due run wait, and tells it alone what went wrong', async () => {
    const { preparations, bot, rows, engine, end } = setup();
    bot('bot_1', { type: 'scheduled', status: 'scheduled' });
    preparations.ahead(bot('bot_1', { type: 'scheduled', status: 'scheduled' }));
    const ready = preparations.ready('bot_1');
    await end(new Error('no such image'));
    expect(await ready).toMatchObject({ message: 'no such image' });
    expect(rows.get('bot_1')?.reason).toBeNull();
    const again = preparations.ready('bot_1');
    expect(engine.begun).toBe(2);
    await end();
    expect(await again).toBeNull();
    expect(await preparations.ready('bot_1')).toBeNull();
  });
});
