import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UnitSpec } from '../../src/main/host/engine/engine.ts';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { startProgram } from '../support/child-program.ts';
import { tempDir } from '../support/temp.ts';
import { answerOf, isRunning, LOCAL_PARTS, output, RUNNERS, stateDirOf, unitSpec } from '../support/units.ts';
import { until } from '../support/until.ts';
import { begin } from './engine-contract.ts';

const HOST = resolve(import.meta.dirname, '../fixtures/hosts/start-and-die.mjs');
const make = () => createProcessEngine(LOCAL_PARTS);

/** A program in Python that is started before its question is known. */
function warmSpec(source: string, over: Partial<UnitSpec> = {}, root = tempDir()): UnitSpec {
  const codeDir = tempDir('warm-code-');
  writeFileSync(join(codeDir, 'query.py'), source);
  const own = { role: 'query', runtime: 'python311', codeDir, queryRun: true, warm: true } as const;
  return unitSpec(root, 'query.py', { ...own, ...over });
}

const ECHO = `
from platform_sdk import query
query.handler("/echo", lambda request: request.params)
query.run()
`;

describe('a program that waits for its question', () => {
  it('answers it and ends', async () => {
    const { unit } = await begin(make(), warmSpec(ECHO));
    expect(await unit.warm?.ready).toBe(true);
    expect(await unit.answer(1000)).toBe('missing');
    expect(await unit.warm?.ask('{"path":"/echo","params":{"n":"ü"}}')).toBe(true);
    expect(await answerOf(unit)).toEqual({ status: 'ok', data: { n: 'ü' } });
    expect(await unit.exited).toMatchObject({ exitCode: 0, signal: null });
    expect([output(unit), output(unit, 'stderr')]).toEqual(['', '']);
  });

  it('is told so by its environment, and knows no question', async () => {
    const source = 'import json, os\nprint(json.dumps(dict(os.environ)), flush=True)\n';
    const { unit } = await begin(make(), warmSpec(source));
    await unit.exited;
    const env = JSON.parse(output(unit));
    const names = Object.keys(env).filter((name) => /QUERY/.test(name));
    expect(names.sort()).toEqual(['PLATFORM_QUERY_WARM', 'QUERY_RESULT_FILE']);
    expect(await unit.warm?.ready).toBe(false);
  });

  it('has measures, and is ended like any other', async () => {
    const { unit } = await begin(make(), warmSpec(ECHO));
    expect(await unit.warm?.ready).toBe(true);
    const stats = await until('its measures', () => unit.stats());
    expect(stats.memoryBytes).toBeGreaterThan(1024 * 1024);
    await unit.stop(0);
    expect(isRunning(Number(unit.handle.pid))).toBe(false);
    expect(await unit.warm?.ask('{}')).toBe(false);
  });

  it('works on a copy of the state', async () => {
    const source = 'import os\nopen(os.path.join(os.environ["STATE_DIR"], "x"), "w").close()\n';
    const spec = warmSpec(source);
    const { unit } = await begin(make(), spec);
    expect(await unit.exited).toMatchObject({ exitCode: 0 });
    expect(readdirSync(join(stateDirOf(spec.botId), '.platform'))).toEqual([]);
  });
});

describe('every other program', () => {
  it.each([{}, { role: 'query', queryRun: true } as const])('has no input and no further files: %j', async (over) => {
    const codeDir = tempDir('plain-code-');
    // The shell looks at itself: from outside, what `exec` has loaded so far would be seen too.
    // What the tests themselves were started with has higher numbers than 9.
    const script = [
      '#!/bin/sh',
      'open=',
      'for fd in 0 1 2 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$fd ] && open="$open $fd"; done',
      'echo "open:$open"',
      'exec sleep 3600',
    ];
    writeFileSync(join(codeDir, 'wait.sh'), `${script.join('\n')}\n`, { mode: 0o755 });
    const { unit } = await begin(make(), unitSpec(tempDir(), 'wait.sh', { ...over, codeDir }));
    expect(unit.warm).toBeNull();
    const open = await until('its open files', () => /^open:.*$/m.exec(output(unit))?.[0]);
    expect(open).toBe('open: 0 1 2');
    const pids = readFileSync(`/proc/${unit.handle.pid}/task/${unit.handle.pid}/children`, 'utf8').trim().split(' ');
    expect(readlinkSync(`/proc/${pids[0]}/fd/0`)).toBe('/dev/null');
  });
});

describe.each(['dash', 'bash'])('the launcher under %s', (shell) => {
  it('leaves what follows its own line to a program that waits', async () => {
    const dir = tempDir('launcher-');
    const launcher = [join(RUNNERS, 'launch.sh'), join(dir, 'exit'), '-', '-', '-'];
    const child = spawn(shell, [...launcher, 'question', '/bin/sh', '-c', 'cat; echo said >&4'], {
      cwd: dir,
      stdio: ['pipe', 'pipe', 'inherit', 'ignore', 'pipe'],
    });
    const heard: Record<string, string> = { stdout: '', report: '' };
    child.stdio[1]?.on('data', (text) => {
      heard.stdout += String(text);
    });
    child.stdio[4]?.on('data', (text) => {
      heard.report += String(text);
    });
    child.stdin?.end('go\nthe question\nand more');
    await once(child, 'close');
    expect(heard).toEqual({ stdout: 'the question\nand more', report: 'said\n' });
    expect(readFileSync(join(dir, 'exit'), 'utf8')).toBe('0\n');
  });
});

describe('a host that is killed', () => {
  const start = async (source: string, root: string) => {
    const spec = warmSpec(source, {}, root);
    const handleFile = join(root, 'handle.json');
    const options = JSON.stringify({
      spec,
      stateDir: stateDirOf(spec.botId),
      runnersDir: RUNNERS,
      handleFile,
      dieIn: 'running',
    });
    const { PATH = '' } = process.env;
    const { child, ended } = startProgram(process.execPath, [HOST, options], { cwd: root, env: { PATH } });
    await until('its program', () => existsSync(join(stateDirOf(spec.botId), 'up')));
    child.kill('SIGKILL');
    await ended;
    return { spec, pid: Number(JSON.parse(readFileSync(handleFile, 'utf8')).pid) };
  };

  it('takes a program with it that waits for its question', async () => {
    const root = tempDir();
    const { pid } = await start(`${up(root)}${ECHO}`, root);
    await until('its end', () => !isRunning(pid));
  });

  it('leaves one that does not look at its input to the next host, which ends it', async () => {
    const botsDir = tempDir();
    const root = join(botsDir, 'bot_1');
    mkdirSync(root);
    const { spec, pid } = await start(`${up(root)}import time\ntime.sleep(3600)\n`, root);
    expect(isRunning(pid)).toBe(true);
    const next = createProcessEngine({ ...LOCAL_PARTS, botsDir });
    expect(await next.endOrphans((runId) => runId !== spec.runId)).toEqual([spec.runId]);
    await until('its end', () => !isRunning(pid));
  });
});

/** Python that tells that it runs, where a copy of the state does not hide it. */
const up = (root: string): string => `open(${JSON.stringify(join(root, 'state/up'))}, "w").close()\n`;
