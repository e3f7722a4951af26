import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine, Unit, UnitSpec } from '../../src/main/host/engine/engine.ts';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { rounds, variants } from '../support/proof.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp.ts';
import { isRunning, LOCAL_PARTS } from '../support/units.ts';
import { until } from '../support/until.ts';
import { askedBot, type QueryPackage, queryPackage, written } from '../support/waiting-queries.ts';

const engine = createProcessEngine(LOCAL_PARTS);
/** What the SDK for C++ does while it waits is tested with that SDK. */
const LANGUAGES = variants<'python' | 'node' | 'c++'>(['python', 'node'], ['c++']);
const packages = new Map<string, QueryPackage>();

beforeAll(async () => {
  for (const language of LANGUAGES) packages.set(language, await queryPackage(language));
});

function packageOf(language: string): QueryPackage {
  const found = packages.get(language);
  if (found === undefined) throw new Error(`no package in ${language}`);
  return found;
}

/** The engine, and every unit that it starts. */
function watched(): { engine: Engine; started: { unit: Unit; spec: UnitSpec }[] } {
  const started: { unit: Unit; spec: UnitSpec }[] = [];
  const start: Engine['start'] = async (spec, created) => {
    const unit = await engine.start(spec, created);
    started.push({ unit, spec });
    return unit;
  };
  return {
    engine: Object.assign(Object.create(engine), {
      start,
      prepare: engine.prepare.bind(engine),
      state: engine.state.bind(engine),
    }),
    started,
  };
}

const pidOf = (unit: Unit): number => Number(unit.handle.pid);

describe.each(LANGUAGES)('a %s program that waits', (language) => {
  it('answers as one that is started for the query, and only once', async () => {
    const { ask, waits } = askedBot(engine, packageOf(language));
    const params = { limit: 5, 'not-a-name': 'ü\u0000', list: [1, 2], none: null, __proto__x: '' };
    const cold = await ask('/echo', params);
    expect(cold).toMatchObject({ mode: 'run' });
    expect(cold.warm).toBeUndefined();
    await waits();
    const warm = await ask('/echo', params);
    expect(warm).toMatchObject({ mode: 'run', warm: true, result: cold.result });
    const pids = new Set<unknown>();
    for (let count = 0; count < 3; count += 1) {
      await waits();
      const answer = await ask('/pid');
      expect(answer.warm).toBe(true);
      pids.add(answer.result);
    }
    expect(pids.size).toBe(3);
  });

  it('never tells of a state that has changed since, also one that it has read before it was asked', async () => {
    const { ask, waits, setState } = askedBot(engine, packageOf(language));
    setState('1');
    expect((await ask('/state')).result).toEqual([1, 1]);
    await waits();
    setState('2');
    const changed = await ask('/state');
    expect([changed.result, changed.warm]).toEqual([[2, 2], undefined]);
    await waits();
    expect(await ask('/state')).toMatchObject({ result: [2, 2], warm: true });
  });

  it('passes on errors and the paths there are', async () => {
    const { ask, waits } = askedBot(engine, packageOf(language));
    await ask('/echo');
    await waits();
    await expect(ask('/broken')).rejects.toMatchObject({ code: 'QUERY_FAILED', message: 'division by zero' });
    await waits();
    await expect(ask('/nowhere')).rejects.toMatchObject({
      code: 'QUERY_PATH_NOT_FOUND',
      details: { available: expect.arrayContaining(['/echo', '/state']) },
    });
  });
});

describe('state', () => {
  it('is seen as it is, whatever is written while programs are started and wait', async () => {
    const { ask, waits, service, setState } = askedBot(engine, packageOf('python'));
    const pauses = new SeededRandom(7);
    let counter = 0;
    let writer: NodeJS.Timeout | undefined;
    setState('0');
    // Some pauses are long enough for a program to be started, however busy the machine is.
    const longest = Math.max(600, 3 * (await ask('/state')).duration_ms);
    const write = (): void => {
      counter += 1;
      setState(String(counter));
      writer = setTimeout(write, pauses.below(longest));
    };
    write();
    onTestFinished(() => clearTimeout(writer));
    for (let asked = 0; asked < rounds(8, 24); asked += 1) {
      if (asked % 2 === 1) {
        clearTimeout(writer);
        await until('a program that waits', () => service.waiting().waiting === 1);
        writer = setTimeout(write, pauses.below(longest));
      }
      const before = counter;
      const [atStart, atQuestion] = (await ask('/state')).result as number[];
      expect(atStart).toBeGreaterThanOrEqual(before);
      expect(atQuestion).toBeGreaterThanOrEqual(before);
    }
    clearTimeout(writer);
    // The program that waits now may have read an earlier state: it is ended, and the next one waits.
    await ask('/state');
    await waits();
    expect(await ask('/state')).toMatchObject({ warm: true, result: [counter, counter] });
  });

  it('makes room for a new program when a run has changed it', async () => {
    const { ask, waits, setState, service } = askedBot(engine, packageOf('python'));
    setState('1');
    await ask('/state');
    await waits();
    service.refresh('bot_1');
    expect((await ask('/state')).warm).toBe(true);
    await waits();
    setState('2');
    service.refresh('bot_1');
    await until('the old program to be gone', () => service.waiting().waiting === 0);
    await waits();
    expect(await ask('/state')).toMatchObject({ result: [2, 2], warm: true });
  });

  it('is not changed by a program that waits', async () => {
    const { ask, waits, setState, root } = askedBot(engine, packageOf('python'));
    setState('1');
    await ask('/echo');
    await waits();
    await expect(ask('/write')).rejects.toMatchObject({ message: expect.stringContaining('must not change state') });
    expect(readFileSync(join(root, 'state/.platform/counter.json'), 'utf8')).toBe('1');
  });
});

describe('a program that waits', () => {
  it('is not used for another configuration, and ends when it is told of one', async () => {
    const { engine: own, started } = watched();
    const { ask, waits, runOf, service } = askedBot(own, packageOf('python'));
    await ask('/pid');
    await waits();
    const answer = await ask('/pid', {}, 30_000, runOf('{"n":2}'));
    expect(answer.warm).toBeUndefined();
    await waits();
    service.forget('bot_1');
    await until('all programs to be gone', () => started.every(({ unit }) => !isRunning(pidOf(unit))));
    expect(service.waiting()).toMatchObject({ waiting: 0, memory_bytes: 0 });
  });

  it('answers for its own bot only', async () => {
    const { ask, waits, runOf } = askedBot(engine, packageOf('python'));
    await ask('/pid');
    await waits();
    expect((await ask('/pid', {}, 30_000, runOf('{"n":1}', 'bot_2'))).warm).toBeUndefined();
    await waits(2);
    expect((await ask('/pid')).warm).toBe(true);
  });

  it('serves one of several queries at once', async () => {
    const { ask, waits } = askedBot(engine, packageOf('python'));
    await ask('/pid');
    await waits();
    const answers = await Promise.all([ask('/pid'), ask('/pid'), ask('/pid')]);
    expect(answers.filter((answer) => answer.warm === true)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.result)).size).toBe(3);
    await waits();
  });

  it('leaves no folder behind', async () => {
    const { ask, waits, runDirs, service } = askedBot(engine, packageOf('python'));
    await ask('/pid');
    await waits();
    await ask('/pid');
    await waits();
    await service.endRuns('bot_1');
    expect(runDirs.filter((dir) => existsSync(dir) && readdirSync(dir).length > 0)).toEqual([]);
    expect(service.waiting().waiting).toBe(0);
  });

  it('gives large answers, and none that is too large', async () => {
    const { ask, waits } = askedBot(engine, packageOf('python'));
    await ask('/pid');
    await waits();
    const { result, warm } = await ask('/large');
    expect([String(result).length, warm]).toEqual([9_000_000, true]);
    await waits();
    await expect(ask('/too-large')).rejects.toMatchObject({ message: expect.stringContaining('larger than') });
  });

  it('that ends with its question has failed the query, and its last lines are told masked', async () => {
    const { ask, waits } = askedBot(engine, packageOf('python'));
    await ask('/pid');
    await waits();
    await expect(ask('/crash')).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      message: "The bot's query program ended with exit code 4 without an answer",
      details: { exit_code: 4, signal: null, stderr: ['first', 'token=******** is wrong'] },
    });
    expect((await ask('/pid')).mode).toBe('run');
  });

  it('that dies while it waits is noticed', async () => {
    const { engine: own, started } = watched();
    const { ask, waits, faults } = askedBot(own, packageOf('python'));
    await ask('/pid');
    await waits();
    const prewarmed = started.find(({ spec }) => spec.warm === true)?.unit;
    process.kill(-pidOf(prewarmed as Unit), 'SIGKILL');
    await prewarmed?.exited;
    const answer = await ask('/pid');
    expect(answer.warm).toBeUndefined();
    await waits();
    expect((await ask('/pid')).warm).toBe(true);
    expect(faults).toEqual([]);
  });

  it('that does not answer in time is ended with all it started', async () => {
    const { engine: own, started } = watched();
    const { ask, waits } = askedBot(own, packageOf('python'));
    await ask('/pid');
    await waits();
    await expect(ask('/slow', {}, 400)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    const first = started.find(({ spec }) => spec.warm === true)?.unit as Unit;
    await until('its end', () => !isRunning(pidOf(first)));
    await waits();
  });

  it('ends with its bot, and with the host, also while it is asked', async () => {
    for (const end of ['endRuns', 'close'] as const) {
      const { engine: own, started } = watched();
      const { ask, waits, service, runOf } = askedBot(own, packageOf('python'));
      let there = true;
      const run = (): ReturnType<typeof runOf> => runOf('{"n":1}', 'bot_1', () => there);
      await ask('/pid', {}, 30_000, run());
      await waits();
      const refused = expect(ask('/slow', {}, 30_000, run())).rejects.toMatchObject({ code: 'BOT_NOT_RUNNING' });
      await until('the program to be asked', () => service.waiting().waiting === 0);
      there = false;
      await service[end]('bot_1');
      await refused;
      expect(started.filter(({ unit }) => isRunning(pidOf(unit)))).toEqual([]);
    }
  });

  it('ends with its bot, and with the host, also while it is started', async () => {
    for (const end of ['endRuns', 'close'] as const) {
      const { engine: own, started } = watched();
      const { ask, service, runOf, faults, runDirs } = askedBot(own, packageOf('python'));
      let there = true;
      await ask(
        '/pid',
        {},
        30_000,
        runOf('{"n":1}', 'bot_1', () => there),
      );
      await until('a start', () => started.some(({ spec }) => spec.warm === true));
      there = false;
      await service[end]('bot_1');
      expect(started.filter(({ unit }) => isRunning(pidOf(unit)))).toEqual([]);
      expect(runDirs.filter((dir) => existsSync(dir) && readdirSync(dir).length > 0)).toEqual([]);
      expect(faults).toEqual([]);
    }
  });

  it('is not kept for a bot that is not asked any more', async () => {
    const { engine: own, started } = watched();
    const { ask, service } = askedBot(own, packageOf('python'), { warm: { idleMs: 1500, lookMs: 50 } });
    await ask('/pid');
    await until('a program to come and go', () => {
      const [prewarmed] = started.filter(({ spec }) => spec.warm === true);
      return prewarmed !== undefined && !isRunning(pidOf(prewarmed.unit));
    });
    expect(service.waiting().waiting).toBe(0);
  });

  it('is not kept when it needs more memory than all may have', async () => {
    const { engine: own, started } = watched();
    const { ask, service } = askedBot(own, packageOf('node'), { warm: { maxMemoryBytes: 1024 * 1024, lookMs: 50 } });
    await ask('/pid');
    await until('a program to come and go', () => {
      const [prewarmed] = started.filter(({ spec }) => spec.warm === true);
      return prewarmed !== undefined && !isRunning(pidOf(prewarmed.unit));
    });
    await ask('/pid');
    await ask('/pid');
    expect(started.filter(({ spec }) => spec.warm === true)).toHaveLength(1);
    expect(service.waiting()).toEqual({
      waiting: 0,
      limit: 8,
      memory_bytes: 0,
      memory_limit_bytes: 1024 * 1024,
    });
  });
});

describe('programs that do not wait', () => {
  const python = (source: string) => written(tempDir('odd-package-'), 'python311', 'query.py', source);
  const HEAD = 'import os, sys, threading, time\nfrom platform_sdk import query\n';

  it.each([
    [
      'end',
      `${HEAD}query.handler("/pid", lambda r: 1)\nif os.environ.get("PLATFORM_QUERY_WARM"): sys.exit(3)\nquery.run()\n`,
    ],
    [
      'keep silent',
      `${HEAD}query.handler("/pid", lambda r: 1)\nif os.environ.get("PLATFORM_QUERY_WARM"): time.sleep(3600)\nquery.run()\n`,
    ],
    [
      'say something else',
      `${HEAD}query.handler("/pid", lambda r: 1)\nfd = os.environ.get("PLATFORM_QUERY_WARM")\nif fd: os.write(int(fd), b"r" * 1_000_000)\nquery.run()\n`,
    ],
  ])('and %s are started once, and then for each query', async (_, source) => {
    const { engine: own, started } = watched();
    const { ask, service, faults } = askedBot(own, python(source), { warm: { readyMs: 1500 } });
    expect((await ask('/pid')).result).toBe(1);
    await until('a program to come and go', () => {
      const [prewarmed] = started.filter(({ spec }) => spec.warm === true);
      return prewarmed !== undefined && !isRunning(pidOf(prewarmed.unit));
    });
    for (const _again of [1, 2]) expect(await ask('/pid')).toMatchObject({ result: 1 });
    expect(started.filter(({ spec }) => spec.warm === true)).toHaveLength(1);
    expect(service.waiting().waiting).toBe(0);
    expect(faults).toEqual([]);
  });

  it('and break the line while they wait are not asked', async () => {
    const told = join(tempDir(), 'told');
    const late = `
    def late():
        while not os.path.exists(${JSON.stringify(told)}): time.sleep(0.05)
        os.write(int(fd), b"done\\n")
    threading.Thread(target=late, daemon=True).start()`;
    const source = `${HEAD}query.handler("/pid", lambda r: 1)\nfd = os.environ.get("PLATFORM_QUERY_WARM")\nif fd: ${late}\nquery.run()\n`;
    const { ask, waits, service } = askedBot(engine, python(source));
    await ask('/pid');
    await waits();
    writeFileSync(told, '');
    await until('the broken line', () => service.waiting().waiting === 0);
    expect(await ask('/pid')).toMatchObject({ result: 1 });
  });
});
