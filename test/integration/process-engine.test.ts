import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Unit, UnitHandle } from '../../src/main/host/engine/engine.ts';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { tempDir } from '../support/temp.ts';
import {
  answerOf,
  isRunning,
  LOCAL_PARTS,
  output,
  pidSaid,
  RUNNERS,
  resultOf,
  said,
  stateDirOf,
  unitSpec,
} from '../support/units.ts';
import { until } from '../support/until.ts';
import { begin, engineContract } from './engine-contract.ts';

const make = (guardMs = 1000) => createProcessEngine({ ...LOCAL_PARTS, guardMs });
const HOST = resolve(import.meta.dirname, '../fixtures/hosts/start-and-die.mjs');

engineContract({ name: 'process engine', code: 'links', make });

/** Everything a bot of this engine may see, beside what its shell adds (PWD, _). */
const ENVIRONMENT = [
  'BOT_CONFIG',
  'BOT_ID',
  'BOT_TYPE',
  'CODE_MOUNT_DIR',
  'CONFIG',
  'HOME',
  'ID',
  'LANG',
  'PATH',
  'PYTHONUNBUFFERED',
  'RESULT_FILE',
  'RUN_ID',
  'STATE_DIR',
  'TMPDIR',
  'TZ',
];

describe('surroundings of a process', () => {
  it('holds nothing of the host, and default signals', async () => {
    process.env.HOST_SECRET_FOR_TEST = 'must not leak';
    const { unit } = await begin(make(), unitSpec(tempDir(), 'print-env.sh'));
    await unit.exited;
    const text = output(unit);
    const names = [...text.matchAll(/^([A-Za-z_]\w*)=/gm)]
      .map((match) => match[1])
      .filter((name) => name !== 'PWD' && name !== '_');
    expect(names).toEqual(ENVIRONMENT);
    expect(text).not.toContain('must not leak');
    expect(text).toMatch(/SigBlk:\s+0+\n/);
    expect(text).toMatch(/SigIgn:\s+0+\n/);
  });

  it('puts home and temporary files into the run folder, closed to others', async () => {
    const spec = unitSpec(tempDir(), 'print-env.sh');
    const { unit } = await begin(make(), spec);
    await unit.exited;
    expect(output(unit)).toContain(`HOME=${join(spec.runDir, 'home')}\n`);
    expect(output(unit)).toContain(`TMPDIR=${join(spec.runDir, 'tmp')}\n`);
    expect(output(unit)).toContain(`STATE_DIR=${join(stateDirOf(spec.botId), '.platform')}\n`);
  });

  it('refuses a config that the OS cannot pass on', async () => {
    const spec = unitSpec(tempDir(), 'touch-state.sh');
    const env = { ...spec.env, BOT_CONFIG: JSON.stringify({ text: 'x'.repeat(140_000) }) };
    const start = make().start({ ...spec, env }, () => undefined);
    await expect(start).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('BOT_CONFIG is 137 KiB'),
    });
  });

  it('passes the largest config it accepts', async () => {
    const spec = unitSpec(tempDir(), 'print-env.sh');
    const config = JSON.stringify({ text: 'é'.repeat(65_500) });
    const { unit } = await begin(make(), { ...spec, env: { ...spec.env, BOT_CONFIG: config } });
    expect(await unit.exited).toMatchObject({ exitCode: 0 });
    expect(output(unit)).toContain(`BOT_CONFIG=${config}\n`);
  });

  it('does not follow a link that a bot left in place of an output file', async () => {
    const spec = unitSpec(tempDir(), 'exit-7.sh');
    const target = join(stateDirOf(spec.botId), 'victim');
    writeFileSync(target, 'untouched');
    symlinkSync(target, join(spec.runDir, 'bot.out'));
    await expect(make().start(spec, () => undefined)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect(readFileSync(target, 'utf8')).toBe('untouched');
  });

  it.runIf(process.platform === 'linux')(
    'does not wait at a pipe that a bot left in place of an output file',
    async () => {
      const spec = unitSpec(tempDir(), 'exit-7.sh');
      execFileSync('mkfifo', [join(spec.runDir, 'bot.err')]);
      const start = make().start(spec, () => undefined);
      await expect(start).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    },
  );

  it('gives a query run a copy of the state, without links and unfinished files', async () => {
    const spec = unitSpec(tempDir(), 'query.sh', { role: 'query', queryRun: true });
    const keys = join(stateDirOf(spec.botId), '.platform');
    mkdirSync(keys);
    writeFileSync(join(keys, 'counter.json'), '1');
    writeFileSync(join(keys, '.tmp-1-1'), 'half');
    symlinkSync('/etc/passwd', join(keys, 'link.json'));
    const env = { ...spec.env, QUERY_PATH: '/write', QUERY_PARAMS: '{}' };
    const { unit } = await begin(make(), { ...spec, env });
    expect(await unit.exited).toMatchObject({ exitCode: 0 });
    expect(await answerOf(unit)).toEqual({ status: 'ok', data: 2 });
    expect(readFileSync(join(keys, 'counter.json'), 'utf8')).toBe('1');
    const view = join(spec.runDir, 'state', '.platform');
    expect(existsSync(join(view, 'link.json'))).toBe(false);
    expect(existsSync(join(view, '.tmp-1-1'))).toBe(false);
  });
});

describe('the runtime table', () => {
  it.each([
    ['nodejs24', 'echo.mjs'],
    ['python311', 'echo.py'],
  ])('runs %s bots by our runner', async (runtime, entry) => {
    const engine = make();
    await engine.prepare(runtime);
    const { unit } = await begin(engine, unitSpec(tempDir(), entry, { runtime, limits: { memoryMb: 256 } }));
    const exit = await unit.exited;
    expect({ exit: exit.exitCode, stderr: output(unit, 'stderr') }).toEqual({ exit: 0, stderr: '' });
    expect(JSON.parse(output(unit))).toMatchObject({ botId: 'bot_1', config: { n: 1 } });
    expect(await resultOf(unit)).toEqual({ seen: { n: 1 } });
  });

  it('says what to install for a runtime that is missing', async () => {
    const engine = createProcessEngine({ ...LOCAL_PARTS, nodePath: '/nowhere/node' });
    await expect(engine.prepare('dotnet8')).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('.NET 8'),
      hint: expect.stringContaining('Install'),
    });
    await expect(engine.prepare('cobol')).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});

describe('the whole tree', () => {
  it('ends children that left the session or ignore SIGTERM', async () => {
    const { unit } = await begin(make(), unitSpec(tempDir(), 'family.sh'));
    await said(unit, 'ready');
    await until('the escaped child', () => output(unit).includes('escaped'));
    const pids = [pidSaid(unit, 'escaped'), pidSaid(unit, 'stubborn')];
    expect(pids.map(isRunning)).toEqual([true, true]);
    await unit.stop(200);
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  it('leaves nothing behind when the bot ends by itself', async () => {
    const { unit } = await begin(make(), unitSpec(tempDir(), 'orphan-maker.sh'));
    expect(await unit.exited).toMatchObject({ exitCode: 0 });
    expect([pidSaid(unit, 'escaped'), pidSaid(unit, 'child')].map(isRunning)).toEqual([false, false]);
  });

  it('ends with its launcher', async () => {
    const { unit, handle } = await begin(make(), unitSpec(tempDir(), 'family.sh'));
    await said(unit, 'ready');
    await until('the escaped child', () => output(unit).includes('escaped'));
    process.kill(Number(handle.pid), 'SIGKILL');
    expect(await unit.exited).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect([pidSaid(unit, 'escaped'), pidSaid(unit, 'stubborn')].map(isRunning)).toEqual([false, false]);
  });

  it('is ended on adoption when the launcher is gone, and the end counts as unseen', async () => {
    const spec = unitSpec(tempDir(), 'family.sh');
    const { unit, handle } = await begin(make(), spec);
    await said(unit, 'ready');
    const adopted = await make().adopt(spec, handle);
    process.kill(Number(handle.pid), 'SIGKILL');
    expect(await adopted.exited).toMatchObject({ exitCode: null, signal: null });
    expect(isRunning(pidSaid(unit, 'stubborn'))).toBe(false);
  });

  it('is not looked for after the machine was started anew, or under a pid that was used again', async () => {
    const spec = unitSpec(tempDir(), 'sleeper.sh');
    const { unit, handle } = await begin(make(), spec);
    await said(unit, 'ready');
    for (const other of [{ boot: 'another boot' }, { started: '1' }]) {
      const elsewhere = { ...spec, runId: 'run_other' };
      const adopted = await make().adopt(elsewhere, { ...handle, ...other });
      expect(await adopted.stop(0)).toMatchObject({ exitCode: null, signal: null });
    }
    expect(isRunning(Number(handle.pid))).toBe(true);
  });
});

describe('a host that is killed', () => {
  const host = async (dieIn: string, entry: string) => {
    const dir = tempDir();
    const spec = unitSpec(dir, entry);
    const handleFile = join(dir, 'handle.json');
    const options = JSON.stringify({ spec, stateDir: stateDirOf(spec.botId), runnersDir: RUNNERS, handleFile, dieIn });
    const child = spawn(process.execPath, [HOST, options], { stdio: ['ignore', 'pipe', 'inherit'] });
    return { spec, child, handle: (): UnitHandle => JSON.parse(readFileSync(handleFile, 'utf8')) };
  };

  it('before the go leaves nothing that runs, and nothing that ran', async () => {
    const { spec, child, handle } = await host('created', 'touch-state.sh');
    await once(child, 'exit');
    const adopted = await make().adopt(spec, handle());
    expect(await adopted.exited).toMatchObject({ exitCode: null, signal: null });
    expect(existsSync(join(stateDirOf(spec.botId), '.platform', 'ran.json'))).toBe(false);
  });

  it('while the bot runs leaves it running for the next host', async () => {
    const { spec, child, handle } = await host('running', 'slow-exit.sh');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const adopted = await make().adopt(spec, handle());
    await said(adopted, 'ready');
    expect(isRunning(Number(handle().pid))).toBe(true);
    writeFileSync(join(stateDirOf(spec.botId), '.platform', 'go.json'), '1');
    expect(await adopted.exited).toMatchObject({ exitCode: 9, signal: null });
  });
});

describe('limits', () => {
  it('ends a bot that uses too much memory and says so', async () => {
    const spec = unitSpec(tempDir(), 'hog.py', { limits: { memoryMb: 100 } });
    const { unit } = await begin(make(100), spec);
    const exit = await unit.exited;
    if (exit.limit === undefined) expect(output(unit, 'stderr')).toContain('MemoryError');
    else expect(exit.limit).toMatch(/^out of memory: \d+ MB used, allowed are 100 MB$/);
  });

  it('does not end a bot that keeps its limits', async () => {
    const limits = { memoryMb: 100, processes: 4, openFiles: 64 };
    const { unit } = await begin(make(20), unitSpec(tempDir(), 'graceful.sh', { limits }));
    await said(unit, 'ready');
    await until('some processor time', async () => ((await unit.stats())?.cpuMs ?? 0) >= 20);
    expect(await unit.stop(5000)).toMatchObject({ exitCode: 3 });
  });

  it('ends a bot that starts too many processes, with all of them', async () => {
    const { unit, handle } = await begin(make(50), unitSpec(tempDir(), 'crowd.sh', { limits: { processes: 20 } }));
    const exit = await unit.exited;
    expect(exit.limit).toMatch(/^too many processes: \d+, allowed are 20$/);
    expect(isRunning(Number(handle.pid))).toBe(false);
  });
});

describe('a program that writes faster than its output is taken', () => {
  const stopped = (pid: number): boolean => /^\d+ \(.*\) T/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const stream = (unit: Unit): string => unit.outputs.find((each) => each.stream === 'stdout')?.path ?? '';
  const size = (unit: Unit): number => statSync(stream(unit)).size;
  const begun = async () => {
    const notices: string[] = [];
    const engine = createProcessEngine({
      ...LOCAL_PARTS,
      guardMs: 50,
      pauseAtBytes: () => 1024 * 1024,
      notice: (_, message) => notices.push(message),
    });
    const spec = unitSpec(tempDir(), 'firehose.sh');
    const { unit, handle } = await begin(engine, spec);
    await until('it to be paused', () => notices.length === 1);
    const pid = Number(handle.pid);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').map(Number);
    await until('its program to stand still', () => children.some(stopped));
    return { engine, spec, unit, handle, notices };
  };

  it.runIf(process.platform === 'linux')(
    'is paused, goes on when its output was taken, and can be stopped',
    async () => {
      const { unit, notices } = await begun();
      expect(notices[0]).toMatch(/^Paused: \d+ MB of output wait/);
      const held = size(unit);
      execFileSync('fallocate', ['--punch-hole', '--offset', '0', '--length', String(held), stream(unit)]);
      await until('it to go on', () => size(unit) > held && notices.length > 1);
      expect(notices[1]).toBe('Resumed: its output is stored.');
      await until('it to be paused again', () => notices.length === 3);
      expect(await unit.stop(10_000)).toMatchObject({ exitCode: 0, signal: null });
    },
  );

  it.runIf(process.platform === 'linux')('is paused for what was not read, whatever is on the disk', async () => {
    const { unit, notices } = await begun();
    const held = size(unit);
    unit.outputRead(() => Promise.resolve(0));
    await until('it to go on', () => size(unit) > held + 1024 * 1024 && notices.length > 1);
    expect(notices.slice(1)).toEqual(['Resumed: its output is stored.']);
    unit.outputRead(() => Promise.resolve(Number.POSITIVE_INFINITY));
    await until('it to be paused again', () => notices.length === 3);
    await unit.stop(0);
  });

  it.runIf(process.platform === 'linux')('is stopped in order by the next host', async () => {
    const { spec, unit, handle } = await begun();
    const next = createProcessEngine({
      ...LOCAL_PARTS,
      guardMs: 60_000,
      pauseAtBytes: () => 1024 * 1024,
    });
    const again = await next.adopt(spec, handle);
    expect(await again.stop(10_000)).toMatchObject({ exitCode: 0, signal: null });
    await unit.exited;
  });

  it.runIf(process.platform === 'linux')('is woken by the next host', async () => {
    const { spec, unit, handle } = await begun();
    const held = size(unit);
    const next = createProcessEngine({
      ...LOCAL_PARTS,
      guardMs: 50,
      pauseAtBytes: () => 1024 ** 4,
    });
    const again = await next.adopt(spec, handle);
    await until('it to go on', () => size(unit) > held);
    await again.stop(0);
    await unit.exited;
  });
});
