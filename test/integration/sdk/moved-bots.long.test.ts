import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { compile } from '../../support/compile.ts';
import { ROOT } from '../../support/platform.ts';
import { variants } from '../../support/proof.ts';
import { tempDir } from '../../support/temp.ts';

/*
 * A person who moves a bot here from another system changes its import and nothing else. The bots of
 * test/fixtures/moved-bots are written for that system; their output and files are the same in every language.
 */
const BOTS = join(ROOT, 'test/fixtures/moved-bots');
const RUNNERS = join(ROOT, 'resources/runners');
const NODE_SDK = join(ROOT, 'resources/sdk/node');
const built = tempDir('moved-bots-');

/** The only change that a person makes to the source of a bot. */
function withOurImport(source: string): string {
  const changed = source
    .replaceAll(/^from makers/gm, 'from platform_sdk')
    .replaceAll(/(from|require\() ?'makers'/g, (_, word) => `${word}${word === 'from' ? ' ' : ''}'@bot-platform/sdk'`)
    .replace('#include <makers/makers.h>', '#include <platform/platform.h>\nnamespace makers = platform;')
    .replace('#include <makers/query.h>', '#include <platform/query.h>')
    .replace('#include <makers/state.h>', '#include <platform/state.h>\nnamespace makers = platform;');
  expect(changed).not.toBe(source);
  return changed;
}

type Language = 'python' | 'node' | 'cpp';
const LANGUAGES = variants<Language>(['python', 'node'], ['cpp']);
type Program = 'trend' | 'portfolio' | 'queries';

const NODE_FILES = { trend: 'trend.js', portfolio: 'portfolio.ts', queries: 'queries.ts' } as const;

function fileOf(language: Language, program: Program): string {
  if (language === 'node') return NODE_FILES[program];
  return language === 'python' ? `${program}.py` : `${program}.cpp`;
}

/** The source with our import in a folder of its own, and how it is started. */
function prepare(language: Language, program: Program) {
  const dir = tempDir(`moved-${language}-`);
  const file = fileOf(language, program);
  writeFileSync(join(dir, file), withOurImport(readFileSync(join(BOTS, language, file), 'utf8')));
  const [command, args] = {
    python: ['python3', [join(RUNNERS, 'python_runner.py'), file]] as const,
    node: [process.execPath, [join(RUNNERS, 'node-runner.mjs'), file]] as const,
    cpp: [join(built, program), []] as const,
  }[language];
  return { dir, command, args };
}

async function run(language: Language, program: Program, config: object, more: Readonly<Record<string, string>> = {}) {
  const { dir, command, args } = prepare(language, program);
  const state = more.STATE_DIR ?? join(dir, 'state');
  mkdirSync(state, { recursive: true });
  const { PATH = '' } = process.env;
  const env = {
    PATH,
    NODE_NO_WARNINGS: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    BOT_ID: 'bot_moved',
    BOT_CONFIG: JSON.stringify(config),
    CODE_MOUNT_DIR: dir,
    STATE_DIR: state,
    RESULT_FILE: join(dir, 'result.json'),
    ...more,
  };
  const { code, stdout, stderr } = await startProgram(command, args, { cwd: dir, env }).ended;
  const lines = stdout.split('\n').filter((line) => line !== '');
  return {
    exit: code,
    metrics: lines.map((line): unknown => {
      const { timestamp, ...metric } = JSON.parse(line);
      return { ...metric, now: Math.abs(Date.now() - timestamp) < 600_000 };
    }),
    logs: stderr.split('\n').filter((line) => line !== ''),
    result: existsSync(env.RESULT_FILE) ? JSON.parse(readFileSync(env.RESULT_FILE, 'utf8')) : null,
    state: Object.fromEntries(readdirSync(state).map((name) => [name, readFileSync(join(state, name), 'utf8')])),
    answer: existsSync(join(dir, 'answer.json')) ? JSON.parse(readFileSync(join(dir, 'answer.json'), 'utf8')) : null,
  };
}

beforeAll(async () => {
  if (!LANGUAGES.includes('cpp')) return;
  const sources = tempDir('moved-sources-');
  for (const program of ['trend', 'portfolio', 'queries'] as const) {
    const file = fileOf('cpp', program);
    writeFileSync(join(sources, file), withOurImport(readFileSync(join(BOTS, 'cpp', file), 'utf8')));
    const flags = ['-std=c++17', '-O0', '-Wall', '-Wextra', '-pthread'];
    await compile(join(sources, file), join(built, program), flags);
  }
});

describe.concurrent.each(LANGUAGES)(
  'a bot that was written elsewhere, in %s, with nothing but its import changed',
  (language) => {
    it('runs with its config, logs with fields, emits metrics and remembers', async () => {
      const state = tempDir('moved-state-');
      const config = { symbol: 'SPY', rounds: 2 };
      const price = (value: number) => ({ _metric: 'price', symbol: 'SPY', value, now: true });
      const first = await run(language, 'trend', config, { STATE_DIR: state });
      expect(first).toMatchObject({ exit: 0, metrics: [price(101), price(102)], result: null });
      const started = '{"level":"info","message":"bot started","symbol":"SPY"}';
      const none = language === 'cpp' ? 'WARN no history yet' : '{"level":"warn","message":"no history yet"}';
      expect(first.logs).toEqual([started, none, 'ERROR market closed']);
      const second = await run(language, 'trend', config, { STATE_DIR: state });
      expect(second.metrics).toEqual([price(103), price(104)]);
      expect(second.logs).toEqual([started, 'ERROR market closed']);
      expect(second.state).toEqual({ 'trend.json': '{"rounds":4}' });
    });

    it('reports success with data, and clears its state', async () => {
      const state = tempDir('moved-state-');
      writeFileSync(join(state, 'old.json'), '1');
      const config = { symbol: 'SPY', positions: [1.5, 2], reset: true };
      expect(await run(language, 'portfolio', config, { STATE_DIR: state })).toEqual({
        exit: 0,
        metrics: [{ _metric: 'exposure', value: 3.5, now: true }],
        logs: ['bot_moved looks at its positions', '{"level":"info","message":"keys","keys":["last"]}'],
        result: { status: 'success', message: 'rebalanced', data: { orders: 2 } },
        state: { 'last.json': '{"orders":2}' },
        answer: null,
      });
    });

    it('reports a failure and ends with exit code 1', async () => {
      const ended = await run(language, 'portfolio', { symbol: 'SPY' });
      const data = language === 'cpp' ? {} : { data: { symbol: 'SPY' } };
      expect(ended).toMatchObject({ exit: 1, metrics: [], state: {} });
      expect(ended.result).toEqual({ status: 'error', message: 'no positions', ...data });
    });

    it('answers queries from its state, and cannot write it there', async () => {
      const state = tempDir('moved-state-');
      writeFileSync(join(state, 'trend.json'), '{"rounds":7}');
      const dir = tempDir('moved-answer-');
      const ask = async (path: string, params: object) => {
        const file = join(dir, `${path.slice(1)}.json`);
        const asked = {
          QUERY_PATH: path,
          QUERY_PARAMS: JSON.stringify(params),
          QUERY_RESULT_FILE: file,
          STATE_DIR: state,
        };
        const { exit } = await run(language, 'queries', { symbol: 'SPY' }, asked);
        return { exit, answer: JSON.parse(readFileSync(file, 'utf8')) };
      };
      const data = { symbol: 'SPY', rounds: 7, limit: 3, params: { limit: '3' }, once: true };
      expect(await ask('/status', { limit: 3 })).toEqual({ exit: 0, answer: { status: 'ok', data } });
      expect(await ask('/reset', {})).toEqual({ exit: 0, answer: { status: 'ok', data: { refused: true } } });
      expect(readdirSync(state)).toEqual(['trend.json']);
    });
  },
);

it('the types of the Node SDK take these bots as they are, and name every function that there is', async () => {
  const dir = tempDir('moved-types-');
  const names = ['portfolio.ts', 'queries.ts'];
  for (const name of names)
    writeFileSync(join(dir, name), withOurImport(readFileSync(join(BOTS, 'node', name), 'utf8')));
  const sdk = await import(join(NODE_SDK, 'index.mjs'));
  const uses = (from: object, place: string) => Object.keys(from).map((name) => `  ${place}['${name}'],`);
  const all = [...uses(sdk, 'sdk'), ...uses(sdk.state, 'sdk.state'), ...uses(sdk.query, 'sdk.query')];
  writeFileSync(
    join(dir, 'all.ts'),
    `import * as sdk from '@bot-platform/sdk';\nexport const all = [\n${all.join('\n')}\n];\n`,
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    types: [],
    paths: { '@bot-platform/sdk': [join(NODE_SDK, 'index.d.ts')] },
  };
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [...names, 'all.ts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', dir]).catch((error) => error);
  expect(stdout).toBe('');
});
