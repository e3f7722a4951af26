import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { compile } from '../../support/compile.ts';
import { ROOT } from '../../support/platform.ts';
import { everyVariant, variants } from '../../support/proof.ts';
import { tempDir } from '../../support/temp.ts';

interface Case {
  readonly name: string;
  readonly steps: readonly object[];
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly result: string | null;
  readonly exit: number;
  readonly state: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

const SDK = join(ROOT, 'resources/sdk');
const DRIVERS = join(ROOT, 'test/fixtures/sdk');
const cases: Case[] = JSON.parse(readFileSync(join(SDK, 'vectors/vectors.json'), 'utf8')).cases;
const built = tempDir('sdk-vectors-');

// A compiler takes longer than all other cases together.
beforeAll(async () => {
  if (!everyVariant) return;
  const flags = ['-std=c++17', '-O0', '-Wall', '-Wextra', '-Werror', '-pthread'];
  await compile(join(DRIVERS, 'driver.cpp'), join(built, 'driver'), flags);
});

const LANGUAGES = variants(
  [
    { language: 'node', program: process.execPath, args: [join(DRIVERS, 'driver.mjs')] },
    { language: 'python', program: 'python3', args: [join(DRIVERS, 'driver.py')] },
  ],
  [{ language: 'c++', program: join(built, 'driver'), args: [] }],
);

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** The times of metrics, which are now, as 0. */
function untimed(line: string, started: number): string {
  const { timestamp } = JSON.parse(line);
  const isNow = Number.isInteger(timestamp) && timestamp >= started && timestamp <= Date.now();
  return isNow ? line.replace(/"timestamp":\d+\}$/, '"timestamp":0}') : line;
}

async function run(one: Case, program: string, args: readonly string[]) {
  const dir = tempDir('vector-');
  const state = join(dir, 'state/.platform');
  mkdirSync(state, { recursive: true });
  for (const [name, text] of Object.entries(one.files ?? {})) writeFileSync(join(state, name), text);
  const { PATH = '' } = process.env;
  const child = spawn(program, args, {
    cwd: dir,
    env: {
      PATH,
      PYTHONPATH: join(SDK, 'python'),
      PYTHONDONTWRITEBYTECODE: '1',
      BOT_ID: 'bot_vector',
      BOT_CONFIG: '{"symbol":"SPY","n":5}',
      STATE_DIR: state,
      CODE_MOUNT_DIR: dir,
      RESULT_FILE: join(dir, 'result.json'),
      ...one.env,
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.end(JSON.stringify({ steps: one.steps }));
  const exit = await new Promise((resolve) => child.once('close', resolve));
  const result = join(dir, 'result.json');
  return {
    exit,
    stdout: lines(stdout),
    stderr: lines(stderr),
    result: existsSync(result) ? readFileSync(result, 'utf8') : null,
    state: Object.fromEntries(readdirSync(state).map((name) => [name, readFileSync(join(state, name), 'utf8')])),
  };
}

describe.each(LANGUAGES)('$language writes what the vectors say', ({ program, args }) => {
  it.concurrent.each(cases)('$name', async (one) => {
    const started = Date.now();
    const { stdout, ...rest } = await run(one, program, args);
    expect({ ...rest, stdout: stdout.map((line) => untimed(line, started)) }).toEqual({
      exit: one.exit,
      stdout: one.stdout,
      stderr: one.stderr,
      result: one.result,
      state: one.state,
    });
  });
});

describe.each(LANGUAGES)('parse in $language', ({ program, args }) => {
  it.concurrent.each([
    ['BOT_ID', '', 'BOT_ID is not set'],
    ['BOT_CONFIG', '', 'BOT_CONFIG is not set'],
    ['BOT_CONFIG', '{', 'BOT_CONFIG is not JSON'],
    ['BOT_CONFIG', '[1]', 'BOT_CONFIG is no JSON object'],
    ['BOT_CONFIG', 'null', 'BOT_CONFIG is no JSON object'],
  ])('never goes on without its configuration: %s=%s', async (name, value, told) => {
    const steps = [{ fn: 'parse', args: [] }];
    const one = { name, steps, stdout: [], stderr: [], result: null, exit: 1, state: {}, env: { [name]: value } };
    const { exit, stdout, stderr } = await run(one, program, args);
    expect(exit).not.toBe(0);
    expect(stdout).toEqual([]);
    expect(stderr.join('\n')).toContain(told);
  });
});
