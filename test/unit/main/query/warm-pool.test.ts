import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PlatformError } from '../../../../src/contract/errors.ts';
import type { Engine, Unit, UnitExit, UnitSpec } from '../../../../src/main/engine/engine.ts';
import type { QueryRun } from '../../../../src/main/query/query-run.ts';
import { WarmPool, type WarmPoolOptions } from '../../../../src/main/query/warm-pool.ts';
import { tempDir } from '../../../support/temp.ts';
import { unitSpec } from '../../../support/units.ts';
import { until } from '../../../support/until.ts';

const MB = 1024 * 1024;
const EXIT: UnitExit = { exitCode: null, signal: 'SIGKILL', endedAt: 0 };

/** An engine without programs: bounds are about numbers that no machine could show here. */
function fakeEngine(memory: Map<string, number>) {
  const alive = new Set<string>();
  let mostAlive = 0;
  const started: string[] = [];
  let failure: Error | null = null;
  const engine = {
    start: async (spec: UnitSpec): Promise<Unit> => {
      if (failure !== null) throw failure;
      const exit = Promise.withResolvers<UnitExit>();
      alive.add(spec.botId);
      started.push(spec.botId);
      mostAlive = Math.max(mostAlive, alive.size);
      const stop = (): Promise<UnitExit> => {
        alive.delete(spec.botId);
        exit.resolve(EXIT);
        return exit.promise;
      };
      const stats = async () => ({
        cpuMs: 0,
        memoryBytes: (memory.get(spec.botId) ?? 1) * MB,
        processes: 1,
        network: null,
      });
      const warm = { ready: Promise.resolve(true), isWaiting: true, ask: () => Promise.resolve(true) };
      return { exited: exit.promise, warm, stop, stats } as Partial<Unit> as Unit;
    },
  } as Partial<Engine> as Engine;
  const fail = (error: Error | null): void => {
    failure = error;
  };
  return { engine, alive, started, mostAlive: () => mostAlive, fail };
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
