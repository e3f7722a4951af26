import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { ROOT } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';

const RUNNER = join(ROOT, 'resources/runners/node-runner.mjs');
const USES_SDK = "log(JSON.stringify([parse().botId, typeof query.run]));\nmetric('m', { n: 1 });\n";
const REQUIRE = "const { log, metric, parse, query } = require('@bot-platform/sdk');\n";
const IMPORT = "import { log, metric, parse, query } from '@bot-platform/sdk';\n";

interface Options {
  readonly entry?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the first of these files, or `entry`, as the engine does. */
async function run(files: Readonly<Record<string, string>>, options: Options = {}) {
  const dir = tempDir('node-runner-');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  const entry = options.entry ?? Object.keys(files)[0] ?? '';
  const result = join(dir, 'the-result.json');
  const env = { BOT_ID: 'bot_1', BOT_CONFIG: '{"n":5}', CODE_MOUNT_DIR: dir, RESULT_FILE: result, ...options.env };
  const args = [RUNNER, ...(entry === '' ? [] : [entry]), ...(options.args ?? [])];
  const { code: exit, stdout, stderr } = await startProgram(process.execPath, args, { cwd: dir, env }).ended;
  return { dir, exit, stdout, stderr, result: existsSync(result) ? readFileSync(result, 'utf8') : null };
}

describe.concurrent('what is called', () => {
  it.each([
    ['an ES module with main', 'bot.mjs', 'export async function main(...given) { return { given }; }'],
    ['an ES module with a default function', 'bot.mjs', 'export default (...given) => ({ given });'],
    ['an ES module whose default has main', 'bot.mjs', 'export default { main: (...given) => ({ given }) };'],
    ['a CommonJS module with main', 'bot.cjs', 'exports.main = async (...given) => ({ given });'],
    ['a CommonJS module that is a function', 'bot.js', 'module.exports = (...given) => ({ given });'],
    ['a file in a folder, with a space', 'my src/bot.mjs', 'export const main = (...given) => ({ given });'],
    ['TypeScript', 'bot.mts', 'export const main = (...given: [id: string, config: object]) => ({ given });'],
    [
      'TypeScript whose kind its text tells',
      'bot.ts',
      'export function main(...given: unknown[]) { return { given }; }',
    ],
    [
      'TypeScript as CommonJS',
      'bot.cts',
      'exports.main = async (...given: unknown[]): Promise<object> => ({ given });',
    ],
  ])('%s is called with id and config, its object is the result', async (_, name, source) => {
    const { exit, stdout, stderr, result } = await run({ [name]: source });
    expect({ exit, stdout, stderr, result }).toEqual({
      exit: 0,
      stdout: '',
      stderr: '',
      result: '{"given":["bot_1",{"n":5}]}',
    });
  });

  it.each([
    [
      'an ES module',
      'bot.mjs',
      "import { setTimeout as wait } from 'node:timers/promises';\nawait wait(1);\nconsole.log('ran');",
    ],
    ['a CommonJS module', 'bot.cjs', "setTimeout(() => console.log('ran'), 1);"],
  ])('a plain script just runs: %s', async (_, name, source) => {
    expect(await run({ [name]: source })).toMatchObject({ exit: 0, stdout: 'ran\n', stderr: '', result: null });
  });

  const ONCE = "console.log('once')";
  const ASKS_URL =
    "import { pathToFileURL } from 'node:url';\nif (import.meta.url === pathToFileURL(process.argv[1]).href) main();";
  it.each([
    ['require.main', 'bot.cjs', `const main = () => ${ONCE};\nif (require.main === module) main();`],
    [
      'require.main, with main exported',
      'bot.cjs',
      `exports.main = () => ${ONCE};\nif (require.main === module) exports.main();`,
    ],
    ['process.argv, with main exported', 'bot.mjs', `export const main = () => ${ONCE};\n${ASKS_URL}`],
    ['a comment only', 'bot.cjs', `// if (require.main === module)\nexports.main = () => ${ONCE};`],
  ])('a file that asks whether it is the program starts once: %s', async (_, name, source) => {
    expect(await run({ [name]: source })).toMatchObject({ exit: 0, stdout: 'once\n', stderr: '' });
  });

  it('a file that asks for import.meta.main starts once', async () => {
    const source = `export const main = () => ${ONCE};\nif (import.meta.main) main();`;
    expect(await run({ 'bot.mjs': source })).toMatchObject({ exit: 0, stdout: 'once\n', stderr: '' });
  });

  it('the entry is the first argument of the program', async () => {
    const source = 'console.log(JSON.stringify(process.argv.slice(1)));';
    const { dir, stdout } = await run({ 'bot.mjs': source }, { args: ['more'] });
    expect(JSON.parse(stdout)).toEqual([join(dir, 'bot.mjs'), 'more']);
  });
});

// Before Node 22.15 there is no registerHooks: the same tests without it.
const WITHOUT_HOOKS = `--import=data:text/javascript,${encodeURIComponent(
  "import m, { syncBuiltinESMExports } from 'node:module'; delete m.registerHooks; syncBuiltinESMExports();",
)}`;

describe.concurrent.each([
  ['with hooks', ''],
  ['without hooks', WITHOUT_HOOKS],
])('the SDK, %s', (_, NODE_OPTIONS) => {
  const env = { NODE_OPTIONS, NODE_NO_WARNINGS: '1' };

  it.each([
    ['import', 'bot.mjs', IMPORT + USES_SDK],
    ['require', 'bot.cjs', REQUIRE + USES_SDK],
    ['import()', 'bot.cjs', `import('@bot-platform/sdk').then(({ log, metric, parse, query }) => {\n${USES_SDK}});`],
  ])('is there without being installed for %s', async (_how, name, source) => {
    const { exit, stdout, stderr } = await run({ [name]: source }, { env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '["bot_1","function"]\n' });
    expect(stdout).toMatch(/^\{"_metric":"m","n":1,"timestamp":\d+\}\n$/);
  });

  it.each([
    ['import', 'bot.mjs', "import { own } from '@bot-platform/sdk';\nconsole.log(own);"],
    ['require', 'bot.cjs', "console.log(require('@bot-platform/sdk').own);"],
  ])('a copy that the bot brought along wins for %s', async (_how, name, source) => {
    const copy = {
      'node_modules/@bot-platform/sdk/package.json': '{"name":"@bot-platform/sdk","main":"index.js"}',
      'node_modules/@bot-platform/sdk/index.js': "exports.own = 'a copy';",
    };
    expect(await run({ [name]: source, ...copy }, { env })).toMatchObject({ exit: 0, stdout: 'a copy\n' });
  });

  it.each([
    ['import', 'bot.mjs', IMPORT],
    ['require', 'bot.cjs', REQUIRE],
  ])('a broken copy is not hidden for %s', async (_how, name, source) => {
    const copy = { 'node_modules/@bot-platform/sdk/package.json': '{"name":"@bot-platform/sdk","exports":{}}' };
    const { exit, stderr } = await run({ [name]: source, ...copy }, { env });
    expect(exit).toBe(1);
    expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('another package that is missing stays missing', async () => {
    const { exit, stderr } = await run({ 'bot.mjs': "import 'not-there-at-all';" }, { env });
    expect(exit).toBe(1);
    expect(stderr).toContain("Cannot find package 'not-there-at-all'");
  });
});

describe.concurrent('the result', () => {
  const SDK = "import { result, success } from '@bot-platform/sdk';\n";

  it("is never taken from the bot's own hands", async () => {
    const source = `${SDK}export const main = () => { success('mine'); return { theirs: 1 }; };`;
    expect(await run({ 'bot.mjs': source })).toMatchObject({
      exit: 0,
      result: '{"status":"success","message":"mine"}',
    });
  });

  it.each([
    ['[1,2]', '[1,2]'],
    ["'text'", null],
    ['5', null],
    ['null', null],
    ['undefined', null],
  ])('of main returning %s is %s', async (value, result) => {
    expect(await run({ 'bot.mjs': `export const main = () => ${value};` })).toMatchObject({ exit: 0, result });
  });

  it('stands beside the code where RESULT_FILE is not set', async () => {
    const { dir } = await run({ 'bot.mjs': 'export const main = () => ({ a: 1 });' }, { env: { RESULT_FILE: '' } });
    expect(readFileSync(join(dir, 'result.json'), 'utf8')).toBe('{"a":1}');
  });

  it('that JSON cannot hold is an error', async () => {
    const { exit, stderr, result } = await run({ 'bot.mjs': 'export const main = () => ({ big: 1n });' });
    expect({ exit, result }).toEqual({ exit: 1, result: null });
    expect(stderr).toContain('BigInt');
  });
});

describe.concurrent('a failure ends with exit code 1 and a traceback', () => {
  it.each([
    ['main throws', "export function main() { throw new Error('no luck'); }", ['Error: no luck', 'bot.mjs:1:']],
    [
      'main rejects',
      "export const main = async () => { throw new Error('no luck'); };",
      ['Error: no luck', 'bot.mjs:1:'],
    ],
    ['the module throws', "throw new Error('no luck');", ['Error: no luck', 'bot.mjs:1:']],
    ['no error is thrown', "export const main = () => { throw 'just text'; };", ['just text']],
    ['there is a cause', "throw new Error('a', { cause: new Error('the cause') });", ['Error: a', 'Error: the cause']],
    ['a syntax error', 'const x = ;', ['SyntaxError', 'bot.mjs:1', 'const x = ;']],
    [
      'a timer is open',
      "setInterval(() => {}, 1000);\nexport const main = () => { throw new Error('no'); };",
      ['Error: no'],
    ],
    ['a stray rejection', "setInterval(() => {}, 1000);\nPromise.reject(new Error('stray'));", ['Error: stray']],
    [
      'the bot listens to exceptions',
      "process.on('uncaughtException', () => {});\nexport const main = () => { throw new Error('no'); };",
      ['Error: no'],
    ],
  ])('%s', async (_, source, told) => {
    const { exit, stdout, stderr, result } = await run({ 'bot.mjs': source });
    expect({ exit, stdout, result }).toEqual({ exit: 1, stdout: '', result: null });
    for (const text of told) expect(stderr).toContain(text);
  });

  it.each([
    ['there is no such file', 'none.mjs', 'Cannot find module'],
    ['no entry is given', '', 'needs the path of the entry'],
  ])('%s', async (_, entry, told) => {
    const { exit, stderr } = await run({ 'bot.mjs': '' }, { entry });
    expect(exit).toBe(1);
    expect(stderr).toContain(told);
  });

  it('an exit code of its own is kept', async () => {
    expect(await run({ 'bot.mjs': 'export const main = () => process.exit(7);' })).toMatchObject({ exit: 7 });
  });
});
