import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import type { Engine, Unit, UnitExit, UnitSpec } from '../../../../../src/main/host/engine/engine.ts';
import type { QueryRun } from '../../../../../src/main/host/query/query-run.ts';
import { WarmPool, type WarmPoolOptions } from '../../../../../src/main/host/query/warm-pool.ts';
import { LocalState } from '../../../../../src/main/host/state/local-state.ts';
import { tempDir } from '../../../../support/temp.ts';
import { stateDirOf, unitSpec } from '../../../../support/units.ts';
import { until } from '../../../../support/until.ts';

const MB = 1024 * 1024;
const EXIT: UnitExit = { exitCode: null, signal: 'SIGKILL', endedAt: 0 };

/** An engine without programs: bounds are about numbers that no machine could show here. */
function fakeEngine(memory: Map<string, number>) {
  const alive = new Set<string>();
  let mostAlive = 0;
  const started: string[] = [];
  let failure: Error | null = null;
  let hung: PromiseWithResolvers<void> | null = null;
  let silent: string | null = null;
  let askedSilent = 0;
  const engine = {
    start: async (spec: UnitSpec): Promise<Unit> => {
      if (failure !== null) throw failure;
      const exit = Promise.withResolvers<UnitExit>();
      alive.add(spec.botId);
      started.push(spec.botId);
      mostAlive = Math.max(mostAlive, alive.size);
      const stop = async (): Promise<UnitExit> => {
        await hung?.promise;
        alive.delete(spec.botId);
        exit.resolve(EXIT);
        return exit.promise;
      };
      const stats = async () => {
        if (spec.botId === silent) {
          askedSilent += 1;
          return Promise.withResolvers<never>().promise;
        }
        return measure();
      };
      const measure = () => ({
        cpuMs: 0,
        memoryBytes: (memory.get(spec.botId) ?? 1) * MB,
        processes: 1,
        network: null,
      });
      const warm = { ready: Promise.resolve(true), isWaiting: true, ask: () => Promise.resolve(true) };
      return { exited: exit.promise, warm, stop, stats } as Partial<Unit> as Unit;
    },
    state: (botId) => new LocalState(stateDirOf(botId)),
  } as Partial<Engine> as Engine;
  const fail = (error: Error | null): void => {
    failure = error;
  };
  /** From now on nothing ends, until what this returns is called. */
  const hang = (): (() => void) => {
    hung = Promise.withResolvers<void>();
    return hung.resolve;
  };
  /** Makes the programs of a bot impossible to measure; returns a counter of attempts. */
  const hangStats = (botId: string): (() => number) => {
    silent = botId;
    return () => askedSilent;
  };
  return { engine, alive, started, mostAlive: () => mostAlive, fail, hang, hangStats };
}

function setUp(options: WarmPoolOptions = {}, memory = new Map<string, number>()) {
  const faults: string[] = [];
  const pool = new WarmPool({ report: (where) => void faults.push(where), lookMs: 20, ...options });
  onTestFinished(() => pool.close());
  const fake = fakeEngine(memory);
  const root = tempDir('warm-pool-');
  const codeDir = join(root, 'code');
  mkdirSync(codeDir);
  writeFileSync(join(codeDir, 'query.py'), 'from platform_sdk import query\nquery.run()\n');
  const runOf = (botId: string): QueryRun => {
    const specOf = () =>
      unitSpec(join(root, botId), 'query.py', { botId, role: 'query', runtime: 'python311', codeDir, env: {} });
    return { engine: fake.engine, spec: specOf(), mask: (text) => text, another: specOf };
  };
  /** Refills for a bot, and waits until its program was started. */
  const fill = async (botId: string): Promise<void> => {
    const before = fake.started.length;
    pool.refill(runOf(botId));
    await until(`a program of ${botId}`, () => fake.started.length > before);
  };
  return { pool, fill, runOf, faults, ...fake };
}

describe('the pool', () => {
  it('keeps the programs of the bots that were asked last', async () => {
    const { pool, fill, alive, mostAlive } = setUp({ maxWaiting: 3 });
    for (const botId of ['bot_1', 'bot_2', 'bot_3']) await fill(botId);
    await fill('bot_4');
    expect([...alive].sort()).toEqual(['bot_2', 'bot_3', 'bot_4']);
    await until('three that wait', () => pool.info().waiting === 3);
    expect(mostAlive()).toBe(3);
    expect(pool.info()).toMatchObject({ limit: 3, memory_bytes: 3 * MB });
  });

  it('keeps to its memory, those that were unused longest first', async () => {
    const memory = new Map([
      ['bot_1', 40],
      ['bot_2', 40],
      ['bot_3', 40],
    ]);
    const { pool, fill, alive } = setUp({ maxMemoryBytes: 100 * MB }, memory);
    for (const botId of ['bot_1', 'bot_2', 'bot_3']) await fill(botId);
    await until('room', () => pool.info().memory_bytes === 80 * MB);
    expect([...alive].sort()).toEqual(['bot_2', 'bot_3']);
    memory.set('bot_2', 70);
    await until('room', () => pool.info().memory_bytes === 40 * MB);
    expect([...alive]).toEqual(['bot_3']);
  });

  it('starts none again that is larger than all may be', async () => {
    const { pool, fill, alive, runOf } = setUp({ maxMemoryBytes: 100 * MB }, new Map([['large', 101]]));
    await fill('small');
    await fill('large');
    await until('it to be gone', () => !alive.has('large'));
    pool.refill(runOf('large'));
    await fill('small_2');
    expect([...alive].sort()).toEqual(['small', 'small_2']);
  });

  it('lets go of what nobody asks', async () => {
    const { pool, fill, alive } = setUp({ idleMs: 100 });
    await fill('bot_1');
    await until('its end', () => alive.size === 0);
    expect(pool.info()).toMatchObject({ waiting: 0, memory_bytes: 0 });
  });

  it('gives none out that got old while the machine slept', async () => {
    const { pool, runOf } = setUp();
    const now = Date.now();
    const sleep = vi.spyOn(Date, 'now');
    onTestFinished(() => sleep.mockRestore());
    for (const [ms, isThere] of [
      [110_000, true],
      [130_000, false],
      [-10_000, false],
    ] as const) {
      sleep.mockImplementation(() => now);
      pool.refill(runOf('bot_1'));
      await until('a program', () => pool.info().waiting === 1);
      sleep.mockImplementation(() => now + ms);
      const taken = await pool.take(runOf('bot_1'));
      expect(taken !== null).toBe(isThere);
      if (taken !== null) pool.finished(taken, false);
    }
  });

  it('tries again what failed for want of something, and nothing else', async () => {
    const { pool, alive, runOf, fail, faults, fill } = setUp();
    fail(new PlatformError('ENGINE_UNAVAILABLE', 'full', { retryAfter: 1 }));
    pool.refill(runOf('bot_1'));
    await until('a fault', () => faults.length === 1);
    fail(null);
    await fill('bot_1');
    await pool.drop('bot_1');
    fail(new PlatformError('ENGINE_UNAVAILABLE', 'cannot do that'));
    pool.refill(runOf('bot_1'));
    await until('a fault', () => faults.length === 2);
    fail(null);
    pool.refill(runOf('bot_1'));
    expect(await pool.take(runOf('bot_1'))).toBeNull();
    await pool.close();
    expect([alive.size, faults.length]).toEqual([0, 2]);
  });

  it('has none while a program of its bot runs, and one again when that has ended', async () => {
    const { pool, alive, runOf, started, fill } = setUp();
    let atRest = true;
    const run = (): QueryRun => ({ ...runOf('bot_1'), isAtRest: () => atRest });
    pool.refill(run());
    await until('a program', () => pool.info().waiting === 1);
    atRest = false;
    expect(await pool.take(run())).toBeNull();
    await until('its end', () => alive.size === 0);
    pool.refill(run());
    await fill('bot_2');
    expect(started).toEqual(['bot_1', 'bot_2']);
    // The end is told of before it is in the books.
    pool.refresh('bot_1');
    atRest = true;
    await until('a program', () => pool.info().waiting === 2);
    pool.atWork('bot_1');
    await until('its end', () => !alive.has('bot_1'));
    pool.refresh('bot_1');
    await until('a program', () => alive.has('bot_1'));
  });

  it('forgets what it would start again with a bot that is forgotten, or that nobody asks any more', async () => {
    const { pool, alive, fill, started } = setUp({ idleMs: 300 });
    await fill('bot_1');
    pool.atWork('bot_1');
    await pool.drop('bot_1');
    pool.refresh('bot_1');
    await fill('bot_2');
    pool.atWork('bot_2');
    await until('its end', () => alive.size === 0);
    await new Promise((done) => setTimeout(done, 350));
    pool.refresh('bot_2');
    await new Promise((done) => setTimeout(done, 100));
    expect(started).toEqual(['bot_1', 'bot_2']);
  });

  it('lets a program be started though the one before it does not end', async () => {
    const { pool, fill, hang } = setUp({ maxWaiting: 1, roomMs: 50 });
    await fill('bot_1');
    await until('a program', () => pool.info().waiting === 1);
    const goOn = hang();
    await fill('bot_2');
    expect(pool.left()).toBe(2);
    expect(pool.left('bot_1')).toBe(1);
    goOn();
    await until('the end of the first', () => pool.left() === 1);
  });

  it('looks at what answers, though another does not', async () => {
    const memory = new Map([['bot_2', 40]]);
    const { pool, fill, hangStats } = setUp({}, memory);
    await fill('bot_1');
    await until('a program', () => pool.info().waiting === 1);
    const asked = hangStats('bot_1');
    await fill('bot_2');
    await until('its measure', () => pool.info().memory_bytes === 41 * MB);
    memory.set('bot_2', 50);
    await until('its measure', () => pool.info().memory_bytes === 51 * MB);
    expect(asked()).toBe(1);
  });

  it('starts nothing for a package that does not say that it may', async () => {
    const { pool, alive, runOf, fill } = setUp();
    const { another, ...run } = runOf('bot_1');
    pool.refill(run);
    await fill('bot_2');
    expect([...alive]).toEqual(['bot_2']);
  });

  it('starts nothing for a bot that is gone, or once it is closed', async () => {
    const { pool, alive, runOf, fill } = setUp();
    pool.refill({ ...runOf('bot_1'), isThere: () => false });
    await fill('bot_2');
    expect([...alive]).toEqual(['bot_2']);
    await pool.close();
    pool.refill(runOf('bot_3'));
    await pool.close();
    expect(alive.size).toBe(0);
  });
});
