import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Engine, UnitHandle } from '../../src/main/host/engine/engine.ts';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { STATE_COPY_BYTES, STATE_COPY_FILES } from '../../src/main/host/engine/process/state-copy.ts';
import { createMasker } from '../../src/main/host/logs/mask/masker.ts';
import { createQueryService, type QueryServiceOptions } from '../../src/main/host/query/query-service.ts';
import { tempDir } from '../support/temp.ts';
import { isRunning, LOCAL_PARTS, unitSpec } from '../support/units.ts';
import { until } from '../support/until.ts';

const engine = createProcessEngine(LOCAL_PARTS);
const hunter2 = (text: string): string => text.replaceAll('hunter2', '********');

function setUp(mask = hunter2, options: QueryServiceOptions = {}) {
  const service = createQueryService(options);
  onTestFinished(() => service.close());
  const root = tempDir();
  const ask = (path: string, params: Record<string, unknown> = {}, timeoutMs = 60_000) => {
    const spec = unitSpec(root, 'query.sh', { role: 'query' });
    let handle: UnitHandle | null = null;
    const watched = watch(engine, (made) => {
      handle = made;
    });
    const answer = service.run({ engine: watched, spec, mask }, { path, params, timeoutMs });
    return { answer, spec, handle: (): UnitHandle | null => handle };
  };
  return { ask, root, service };
}

/** The engine, and word of each unit that it starts. */
function watch(real: Engine, started: (handle: UnitHandle) => void): Engine {
  return {
    name: real.name,
    level: real.level,
    networkUse: real.networkUse,
    traits: real.traits,
    probe: () => real.probe(),
    isReady: () => true,
    onLost: () => undefined,
    onBack: () => undefined,
    close: async () => undefined,
    prepare: (runtime) => real.prepare(runtime),
    adopt: (spec, handle) => real.adopt(spec, handle),
    isGone: (spec, handle) => real.isGone(spec, handle),
    stillRuns: (handle) => real.stillRuns(handle),
    state: (botId) => real.state(botId),
    outputs: (dir, role) => real.outputs(dir, role),
    endOrphans: (isKnown) => real.endOrphans(isKnown),
    nodes: () => real.nodes(),
    start: (spec, created) =>
      real.start(spec, (handle) => {
        started(handle);
        created(handle);
      }),
  };
}

const many = (dir: string): void => {
  for (let number = 0; number < STATE_COPY_FILES; number++) writeFileSync(join(dir, `k${number}.json`), '');
};

/** Whether this file system makes copies that share their blocks with the original: those are made of any size. */
function sharesBlocks(dir: string): boolean {
  try {
    copyFileSync(join(dir, 'counter.json'), join(dir, 'shared'), constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
}

describe('a query run', () => {
  it('gets path and parameters and gives the data', async () => {
    const { ask } = setUp();
    const { answer, spec } = ask('ok', { limit: 5, 'not-a-name': 'x', list: [1, 2], none: null });
    expect(await answer).toMatchObject({
      mode: 'run',
      result: { params: { limit: '5', 'not-a-name': 'x', list: '[1,2]', none: 'null' }, limit: '5' },
    });
    expect(existsSync(spec.runDir)).toBe(false);
  });

  it('names the paths there are when the asked one is not', async () => {
    await expect(setUp().ask('/missing').answer).rejects.toMatchObject({
      code: 'QUERY_PATH_NOT_FOUND',
      details: { path: '/missing', available: ['/ok'] },
    });
  });

  it('passes on the error of a handler', async () => {
    const { answer, spec } = setUp().ask('/failing');
    await expect(answer).rejects.toMatchObject({ code: 'QUERY_FAILED', message: 'price is not a number' });
    expect(existsSync(spec.runDir)).toBe(false);
  });

  it('explains a program that ended without an answer, with its last lines masked', async () => {
    const { answer, spec } = setUp().ask('/crash');
    await expect(answer).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      message: "The bot's query program ended with exit code 4 without an answer",
      details: { exit_code: 4, signal: null, stderr: ['first', 'token=******** is wrong'] },
    });
    expect(existsSync(spec.runDir)).toBe(false);
  });

  it('shows nothing of a key whose beginning stands further up than its last lines', async () => {
    const rules = createMasker([]);
    const { answer } = setUp((text) => rules.maskText(text)).ask('/key');
    await expect(answer).rejects.toMatchObject({
      details: { exit_code: 5, stderr: [...Array.from({ length: 19 }, () => '***'), 'it is not taken'] },
    });
  });

  it.each([
    ['/garbage', 'not a query result'],
    ['/huge', 'larger than'],
    ['/link', 'without an answer'],
  ])('refuses what %s leaves as answer', async (path, message) => {
    await expect(setUp().ask(path).answer).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      message: expect.stringContaining(message),
    });
  });

  it('is ended with all it started after the time-out', async () => {
    const { answer, spec, handle } = setUp().ask('/slow', {}, 300);
    await expect(answer).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    await until('its end', () => !isRunning(Number(handle()?.pid)));
    await until('the end of its folder', () => !existsSync(spec.runDir));
  });

  it('is ended with its bot, and with the host', async () => {
    for (const end of ['endRuns', 'close'] as const) {
      const { ask, service } = setUp();
      const { answer, handle } = ask('/slow');
      const refused = expect(answer).rejects.toMatchObject({ code: 'BOT_NOT_RUNNING' });
      const pid = Number((await until('the program', handle)).pid);
      await service[end]('bot_1');
      await refused;
      expect(isRunning(pid)).toBe(false);
    }
  });

  it('cannot change the state of the bot', async () => {
    const { ask, root } = setUp();
    const keys = join(root, 'state', '.platform');
    mkdirSync(keys, { recursive: true });
    writeFileSync(join(keys, 'counter.json'), '1');
    expect((await ask('/write').answer).result).toBe(2);
    expect(readFileSync(join(keys, 'counter.json'), 'utf8')).toBe('1');
  });

  it.each([
    [
      'many bytes',
      (keys: string) => truncateSync(join(keys, 'large.json'), STATE_COPY_BYTES + 1),
      'larger than 50 MiB',
    ],
    ['many files', (keys: string) => many(keys), 'more than 10000 files'],
  ])('cannot change a state of %s either', async (_, grow, why) => {
    const { ask, root } = setUp();
    const keys = join(root, 'state', '.platform');
    mkdirSync(keys, { recursive: true });
    for (const name of ['counter.json', 'large.json']) writeFileSync(join(keys, name), '1');
    grow(keys);
    const outcome = await ask('/write', {}, 600_000).answer.catch((error: unknown) => error);
    expect(readFileSync(join(keys, 'counter.json'), 'utf8')).toBe('1');
    const refused = {
      code: 'QUERY_FAILED',
      message: expect.stringContaining(why),
      hint: expect.stringContaining('options.engine'),
    };
    if (why.includes('MiB') && sharesBlocks(keys)) expect(outcome).toMatchObject({ result: 2 });
    else expect(outcome).toMatchObject(refused);
  });

  it('waits for its turn, and not for ever', async () => {
    const { ask, service } = setUp(hunter2, { maxRuns: 1, maxWaiting: 1 });
    const first = ask('/slow', {}, 60_000);
    const ended = expect(first.answer).rejects.toMatchObject({ code: 'BOT_NOT_RUNNING' });
    await until('the first run', () => first.handle());
    const second = ask('/ok', {}, 200);
    const third = ask('/ok');
    await expect(third.answer).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 2 });
    await expect(second.answer).rejects.toMatchObject({
      code: 'QUERY_TIMEOUT',
      message: expect.stringContaining('turn'),
    });
    expect(second.handle()).toBeNull();
    await service.endRuns('bot_1');
    await ended;
    await expect(ask('/slow', {}, 300).answer).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    expect(await ask('/ok').answer).toMatchObject({ mode: 'run' });
  });

  it('refuses parameters that are too large', async () => {
    await expect(setUp().ask('/ok', { text: 'x'.repeat(65_536) }).answer).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });
});
