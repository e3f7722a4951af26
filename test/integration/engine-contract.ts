import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Engine,
  NobodyListens,
  type Unit,
  type UnitHandle,
  type UnitSpec,
} from '../../src/main/host/engine/engine.ts';
import { tempDir } from '../support/temp.ts';
import { answerOf, MOST, output, resultOf, said, unitSpec } from '../support/units.ts';

/** One engine under test. Each call of `make` gives an engine as a fresh host would have it. */
export interface EngineUnderTest {
  readonly name: string;
  /** What CODE_MOUNT_DIR is: links to the code, the code itself, or a folder that cannot be looked into from here. */
  readonly code: 'links' | 'folder' | 'elsewhere';
  make(): Promise<Engine> | Engine;
}

/** Starts a unit that ends with the test. The handle is read back as a host would store it. */
export async function begin(engine: Engine, spec: UnitSpec): Promise<{ unit: Unit; handle: UnitHandle }> {
  let stored: string | null = null;
  const unit = await engine.start(spec, (handle) => {
    expect(stored).toBeNull();
    stored = JSON.stringify(handle);
  });
  onTestFinished(async () => void (await unit.stop(0)));
  if (stored === null) throw new Error('created was not called');
  return { unit, handle: JSON.parse(stored) };
}

/** A spec of a bot that no other folder has. */
const specIn = (root: string, entry: string, over: Partial<UnitSpec> = {}): UnitSpec =>
  unitSpec(root, entry, { botId: `bot_${basename(root)}`, ...over });

/** Whether touch-state.sh has run for the bot of a spec. */
const hasRun = async (engine: Engine, { botId }: UnitSpec): Promise<boolean> =>
  (await engine.state(botId).list()).some(({ key }) => key === 'ran');

/** What every engine promises (engine.ts). */
export function engineContract(under: EngineUnderTest): void {
  const start = async (entry: string, over: Partial<UnitSpec> = {}) => {
    const engine = await under.make();
    const spec = specIn(tempDir(), entry, over);
    return { engine, spec, ...(await begin(engine, spec)) };
  };

  describe(`${under.name}: starting and ending`, () => {
    it('describes itself', async () => {
      const info = await (await under.make()).probe();
      expect(info).toMatchObject({ name: (await under.make()).name, available: true, reason: null });
      expect(info.isolation.length).toBeGreaterThan(4);
    });

    it('starts a program on one of its nodes, and none where no node has the labels that the bot asks for', async () => {
      const engine = await under.make();
      const [node] = (await engine.nodes()).filter(({ available }) => available);
      if (node === undefined) throw new Error('no node answers');
      const placed = (labels: Readonly<Record<string, string>>) =>
        specIn(tempDir(), 'exit-7.sh', { placement: { labels } });
      const { unit } = await begin(engine, placed(node.labels));
      expect(await unit.exited).toMatchObject({ exitCode: 7 });
      await expect(engine.start(placed({ region: 'nowhere' }), () => undefined)).rejects.toMatchObject({
        code: 'ENGINE_UNAVAILABLE',
        message: 'No node has the labels region=nowhere that the bot asks for',
      });
    });

    it('gives the exit code and both streams', async () => {
      const before = Date.now();
      const { unit } = await start('exit-7.sh');
      const exit = await unit.exited;
      expect(exit).toMatchObject({ exitCode: 7, signal: null });
      expect(exit.endedAt).toBeGreaterThanOrEqual(before - 1);
      expect(output(unit)).toBe('out\n');
      expect(output(unit, 'stderr')).toBe('err\n');
    });

    it('gives the signal that ended the program, and adds no words of its own', async () => {
      const { unit } = await start('killed.sh');
      expect(await unit.exited).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
      expect(output(unit)).toBe('before\n');
      expect(output(unit, 'stderr')).toBe('');
    });

    it('gives the result, up to a size', async () => {
      const { unit } = await start('succeed.sh');
      expect(await unit.exited).toMatchObject({ exitCode: 0, signal: null });
      expect(await resultOf(unit)).toEqual({ status: 'success', message: 'done' });
      expect(await unit.result(5)).toBe('too large');
      expect(await unit.answer(MOST)).toBe('missing');
    });

    it.each(['linked-result.sh', 'piped-result.sh'])(
      'reads nothing through what %s leaves as its result',
      async (entry) => {
        const { unit } = await start(entry);
        expect(await unit.exited).toMatchObject({ exitCode: 0 });
        expect(await unit.result(MOST)).toBe('strange');
      },
    );

    it('keeps all of a megabyte that is printed in the moment of the end', async () => {
      const { unit } = await start('burst.sh');
      await unit.exited;
      expect(output(unit).length).toBe(1_048_560 + '\nthe last line\n'.length);
      expect(output(unit).endsWith('\nthe last line\n')).toBe(true);
    });

    it('keeps output to its owner', async () => {
      const { unit } = await start('exit-7.sh');
      await unit.exited;
      for (const file of unit.outputs) expect(statSync(file.path).mode & 0o077).toBe(0);
    });

    it('runs bot and query program of one run side by side, and ends only the one asked', async () => {
      const { engine, spec, unit } = await start('sleeper.sh', { botType: 'realtime' });
      const query = await begin(engine, { ...spec, role: 'query' });
      await said(unit, 'ready');
      await said(query.unit, 'ready');
      expect(await query.unit.stop(5000)).toMatchObject({ signal: 'SIGTERM' });
      expect(await unit.stats()).not.toBeNull();
      expect(await unit.stop(5000)).toMatchObject({ signal: 'SIGTERM' });
    });

    it('connects to the query port that bot and query program of a run share, once somebody listens there', async () => {
      const { engine, spec, unit } = await start('sleeper.sh', { botType: 'realtime' });
      await said(unit, 'ready');
      await expect(unit.connectQuery()).rejects.toBeInstanceOf(NobodyListens);
      const query = await begin(engine, { ...spec, role: 'query', runtime: 'python311', entry: 'line_server.py' });
      await said(query.unit, 'listening');
      for (const one of [unit, query.unit]) {
        const line = await one.connectQuery();
        line.end('a word');
        expect(await text(line)).toBe('heard a word');
      }
    });

    it('has no query port for a run that serves none', async () => {
      const { unit } = await start('sleeper.sh');
      await expect(unit.connectQuery()).rejects.toMatchObject({ code: 'BOT_NOT_RUNNING' });
    });

    it('names a missing entry', async () => {
      const spec = specIn(tempDir(), 'nowhere.sh');
      const engine = await under.make();
      await expect(engine.start(spec, () => undefined)).rejects.toMatchObject({ code: 'INVALID_PACKAGE' });
    });
  });

  describe(`${under.name}: surroundings`, () => {
    it('gives the environment of the contract', async () => {
      const { spec, unit } = await start('print-env.sh', { botType: 'realtime' });
      await unit.exited;
      const env = Object.fromEntries(
        output(unit)
          .split('\n')
          .map((line) => line.split(/=(.*)/s, 2)),
      );
      expect(env).toMatchObject({
        BOT_ID: 'bot_1',
        ID: 'bot_1',
        BOT_CONFIG: '{"n":1}',
        CONFIG: '{"n":1}',
        BOT_TYPE: 'realtime',
        RUN_ID: spec.runId,
        TZ: 'UTC',
        LANG: 'C.UTF-8',
        PYTHONUNBUFFERED: '1',
      });
      expect(env.CODE_MOUNT_DIR).toMatch(/^\//);
      expect(env.STATE_DIR).toMatch(/\/\.platform$/);
      expect(Number(env.QUERY_PORT)).toBeGreaterThan(0);
      expect(Object.keys(env).filter((name) => name.startsWith('QUERY_'))).toEqual(['QUERY_PORT']);
      const cwd = /^cwd (.*)$/m.exec(output(unit))?.[1] ?? '';
      // Local programs find links to their code there.
      if (under.code === 'links')
        expect(realpathSync(join(String(env.CODE_MOUNT_DIR), spec.entry))).toBe(join(cwd, spec.entry));
      else if (under.code === 'folder') expect(cwd).toBe(env.CODE_MOUNT_DIR);
      expect(output(unit)).toContain('argc 0\n');
      expect(output(unit)).toMatch(/^stdin 0$/m);
    });

    it('tells a query run what is asked, and keeps the state as it was', async () => {
      const engine = await under.make();
      const root = tempDir();
      const spec = specIn(root, 'query.sh', { role: 'query', queryRun: true });
      const first = await begin(engine, specIn(root, 'touch-state.sh'));
      await first.unit.exited;
      const env = { ...spec.env, QUERY_PATH: '/ok', QUERY_PARAMS: '{"limit":"5"}', QUERY_PARAM_limit: '5' };
      const { unit } = await begin(engine, { ...spec, env });
      await unit.exited;
      expect(await answerOf(unit)).toEqual({ status: 'ok', data: { params: { limit: '5' }, limit: '5' } });
      expect(await hasRun(engine, spec)).toBe(true);
    });
  });

  describe(`${under.name}: a query run that waits for its question`, () => {
    const warm = { role: 'query', queryRun: true, warm: true } as const;

    it('is asked once, answers and ends', async () => {
      const { unit } = await start('warm.sh', warm);
      expect(await unit.warm?.ready).toBe(true);
      expect(unit.warm?.isWaiting).toBe(true);
      expect(await unit.answer(MOST)).toBe('missing');
      const params = { limit: 'ü', large: 'x'.repeat(60_000) };
      expect(await unit.warm?.ask(JSON.stringify({ path: '/x', params }))).toBe(true);
      expect(await answerOf(unit)).toEqual({
        status: 'ok',
        data: { path: '/x', params },
      });
      expect(await unit.exited).toMatchObject({ exitCode: 3, signal: null });
      expect(await unit.warm?.ask('{}')).toBe(false);
      expect(output(unit).trim().split('\n').sort()).toEqual(['PLATFORM_QUERY_WARM', 'QUERY_RESULT_FILE']);
    });

    it('is ended like any other', async () => {
      const { unit } = await start('warm.sh', warm);
      expect(await unit.warm?.ready).toBe(true);
      await unit.stop(0);
      expect(unit.warm?.isWaiting).toBe(false);
      expect(await unit.warm?.ask('{}')).toBe(false);
    });

    it('tells of a program that does not wait', async () => {
      const { unit } = await start('exit-7.sh', warm);
      expect(await unit.warm?.ready).toBe(false);
      expect(await unit.exited).toMatchObject({ exitCode: 7 });
    });

    it('is the only one with a line to the host', async () => {
      const { unit } = await start('query.sh', { role: 'query', queryRun: true });
      expect(unit.warm).toBeNull();
      await unit.exited;
    });
  });

  describe(`${under.name}: state`, () => {
    it('is read and written by key, whether or not a program runs, and shows that it has changed', async () => {
      const { engine, spec, unit } = await start('touch-state.sh');
      await unit.exited;
      const state = engine.state(spec.botId);
      expect(await state.read('ran')).toMatchObject({ text: '1', size: 1, still: true });
      const [before, { bytes }] = [await state.fingerprint(), await state.measure()];
      await state.write('é more', '{"n":1}');
      expect((await state.list()).map(({ key, size }) => [key, size]).sort()).toEqual([
        ['ran', 1],
        ['é more', 7],
      ]);
      expect((await state.measure()).bytes).toBe(bytes + 7);
      expect((await state.measure('é more')).bytes).toBe(bytes);
      expect((await state.fingerprint())?.text).not.toBe(before?.text);
      expect([await state.delete('é more'), await state.delete('é more')]).toEqual([true, false]);
      expect([await state.read('é more'), await state.sweep()]).toEqual([null, 0]);
    });

    it('has a snapshot on this machine', async () => {
      const { engine, spec, unit } = await start('touch-state.sh');
      await unit.exited;
      const copy = await engine.state(spec.botId).snapshot();
      expect(readFileSync(join(copy, '.platform/ran.json'), 'utf8')).toBe('1');
    });
  });

  describe(`${under.name}: handshake`, () => {
    it('never runs the bot when created throws', async () => {
      const engine = await under.make();
      const spec = specIn(tempDir(), 'touch-state.sh');
      const failure = new Error('the control database is full');
      const refuse = (): void => {
        throw failure;
      };
      await expect(engine.start(spec, refuse)).rejects.toBe(failure);
      expect(await hasRun(engine, spec)).toBe(false);
    });

    it('calls created before the bot runs', async () => {
      const engine = await under.make();
      const spec = specIn(tempDir(), 'touch-state.sh');
      let returnedAt = Number.NaN;
      const unit = await engine.start(spec, () => {
        const begun = performance.now();
        while (performance.now() < begun + 100);
        returnedAt = Date.now();
      });
      expect(await unit.exited).toMatchObject({ exitCode: 0 });
      const ran = (await engine.state(spec.botId).list()).find(({ key }) => key === 'ran');
      // The clock of file times is coarse.
      expect(ran?.modifiedMs).toBeGreaterThan(returnedAt - 20);
    });
  });

  describe(`${under.name}: stopping`, () => {
    it('lets the bot say goodbye', async () => {
      const { unit } = await start('graceful.sh');
      await said(unit, 'ready');
      expect(await unit.stop(10_000)).toMatchObject({ exitCode: 3, signal: null });
      expect(output(unit)).toBe('ready\nbye\n');
    });

    it('asks a bot once to run its stop hook, also by the next host, and leaves its end to SIGTERM', async () => {
      const { unit, spec, handle } = await start('stop-hook.sh', { controlToken: 'ct_of_this_run' });
      await said(unit, 'ready');
      expect(await unit.runStopHook?.('panic', 10_000)).toEqual({ is: 'none' });
      expect(await unit.stopAsked?.()).toBeNull();
      expect(await unit.runStopHook?.('guard', 60_000)).toEqual({ is: 'done' });
      const next = await (await under.make()).adopt(spec, handle);
      expect(await next.stopAsked?.()).toBe('guard');
      expect(await next.runStopHook?.('shutdown', 60_000)).toEqual({ is: 'done' });
      expect(await next.stop(10_000)).toMatchObject({ exitCode: 0 });
      const lines = output(unit).trim().split('\n');
      expect(lines).toEqual(['ready', expect.stringMatching(/^asked .*"reason":"guard"/), 'term']);
    });

    it('gives up on a stop hook that is not done in its time', async () => {
      const env = { BOT_ID: 'bot_1', BOT_CONFIG: '', BOT_TYPE: 'scheduled' };
      const { unit } = await start('stop-hook.sh', { controlToken: 'ct_of_this_run', env });
      await said(unit, 'ready');
      expect(await unit.runStopHook?.('guard', 500)).toEqual({ is: 'late' });
      expect(await unit.stop(10_000)).toMatchObject({ exitCode: 0 });
    });

    it('gives no control channel to a query program', async () => {
      const { unit } = await start('stop-hook.sh', { role: 'query', queryRun: true });
      expect(await unit.runStopHook?.('guard', 10_000)).toEqual({ is: 'none' });
      await unit.stop(0);
      expect(output(unit)).not.toContain('asked');
    });

    it('forces a bot that ignores every polite signal', async () => {
      const { unit } = await start('stubborn.sh');
      await said(unit, 'ready');
      const before = performance.now();
      expect(await unit.stop(300)).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      expect(performance.now() - before).toBeGreaterThanOrEqual(299);
    });

    it('takes a later shorter grace, and both calls get the same end', async () => {
      const { unit } = await start('stubborn.sh');
      await said(unit, 'ready');
      const patient = unit.stop(60_000);
      expect(await unit.stop(0)).toEqual(await patient);
      expect(await unit.stop(1000)).toEqual(await patient);
      expect(await unit.stats()).toBeNull();
    });
  });

  describe(`${under.name}: finding again`, () => {
    it('adopts a running unit: same output, exit code, end', async () => {
      const { engine, spec, unit, handle } = await start('slow-exit.sh');
      await said(unit, 'ready');
      const later = await (await under.make()).adopt(spec, handle);
      expect(later.confinement).toEqual(unit.confinement);
      expect(later.outputs).toEqual(unit.outputs);
      expect(later.startedAt).toBe(unit.startedAt);
      expect(await later.stats()).toMatchObject({ processes: expect.any(Number) });
      await engine.state(spec.botId).write('go', '1');
      expect(await later.exited).toMatchObject({ exitCode: 9, signal: null });
    });

    it('adopts a unit that ended meanwhile and still knows how', async () => {
      const { spec, unit, handle } = await start('exit-7.sh');
      const exit = await unit.exited;
      const later = await (await under.make()).adopt(spec, handle);
      const found = await later.exited;
      expect(found).toMatchObject({ exitCode: 7, signal: null });
      expect(Math.abs(found.endedAt - exit.endedAt)).toBeLessThan(10_000);
    });

    it('stops an adopted unit', async () => {
      const { spec, unit, handle } = await start('graceful.sh');
      await said(unit, 'ready');
      const later = await (await under.make()).adopt(spec, handle);
      expect(await later.stop(10_000)).toMatchObject({ exitCode: 3, signal: null });
    });
  });
}
