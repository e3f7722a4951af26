import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { type Files, NODES, writeFiles } from '../../support/entry-nodes.ts';
import { ROOT } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';

/* Entries whose top level calls the function that the platform calls: it must not trade twice. */
const RUNNERS = join(ROOT, 'resources/runners');

/** Runs the first of these files; returns its trades, its result and the rest of its log. */
async function run(command: string, runner: string, files: Files) {
  const dir = tempDir('calls-itself-');
  writeFiles(dir, files);
  const result = join(dir, 'the-result.json');
  const { PATH = '' } = process.env;
  const { code, stdout, stderr } = await startProgram(command, [join(RUNNERS, runner), Object.keys(files)[0] ?? ''], {
    cwd: dir,
    env: {
      PATH,
      NODE_NO_WARNINGS: '1',
      PYTHONUNBUFFERED: '1',
      BOT_ID: 'bot_1',
      BOT_CONFIG: '{}',
      CODE_MOUNT_DIR: dir,
      RESULT_FILE: result,
    },
  }).ended;
  return {
    exit: code,
    trades: stdout,
    stderr,
    result: existsSync(result) ? readFileSync(result, 'utf8') : null,
  };
}

const ONCE = { exit: 0, trades: 'trade\n', stderr: '', result: null };
const TOLD = (file: string) => ({
  ...ONCE,
  stderr: expect.stringMatching(
    new RegExp(
      `^WARN ${file.replace('.', '\\.')} has called its own function at its top level, .*it is not called again`,
    ),
  ),
});
const TRADE = "console.log('trade');";
const WAIT = 'await new Promise((resolve) => setTimeout(resolve, 20));';

describe.concurrent.each(NODES)('%s', (_node, node) => {
  it.each<[string, Files]>([
    ['main and waits for it', { 'bot.mjs': `export async function main() { ${TRADE} ${WAIT} }\nawait main();` }],
    ['main and does not wait', { 'bot.mjs': `main();\nexport async function main() { ${WAIT} ${TRADE} }` }],
    ['main, which is a constant', { 'bot.mjs': `export const main = async () => { ${WAIT} ${TRADE} };\nmain();` }],
    ['main, which is not asynchronous', { 'bot.mjs': `export function main() { ${TRADE} }\nmain();` }],
    ['its default', { 'bot.mjs': `export default async function bot() { ${WAIT} ${TRADE} }\nbot();` }],
    [
      'main under another name',
      { 'bot.mjs': `async function go() { ${WAIT} ${TRADE} }\ngo();\nexport { go as main };` },
    ],
    [
      'a method main',
      { 'bot.mjs': `const bot = { async main() { ${WAIT} ${TRADE} } };\nbot.main();\nexport default bot;` },
    ],
    [
      'main of another file',
      {
        'bot.mjs': "import { main } from './a.mjs';\nexport { main };\nmain();",
        'a.mjs': `export async function main() { ${WAIT} ${TRADE} }`,
      },
    ],
    ['main, as CommonJS', { 'bot.cjs': `async function main() { ${WAIT} ${TRADE} }\nmain();\nexports.main = main;` }],
    ['the function that it is', { 'bot.cjs': `module.exports = async () => { ${WAIT} ${TRADE} };\nmodule.exports();` }],
    [
      'main, and exports what is as long',
      {
        'bot.mjs':
          "const main = async () => { console.log('trade'); };\nexport const test = async () => { console.log('tests'); };\nmain();\nexport { main };",
      },
    ],
    [
      'main, and waits long',
      { 'bot.mjs': `export async function main() { ${TRADE} ${WAIT.replace('20', '1500')} }\nawait main();` },
    ],
    [
      'a static main',
      { 'bot.cjs': `module.exports = class { static async main() { ${WAIT} ${TRADE} } };\nmodule.exports.main();` },
    ],
  ])('an entry that calls %s is not called again, and hears so', async (_, files) => {
    expect(await run(node, 'node-runner.mjs', files)).toEqual(TOLD(Object.keys(files)[0] ?? ''));
  });

  it.each<[string, Files]>([
    ['refers to main', { 'bot.mjs': `export async function main() { ${TRADE} }\nexport const jobs = [main];` }],
    [
      'calls a function within its main elsewhere',
      { 'bot.mjs': `const go = () => { function main() {} main(); };\ngo();\nexport function main() { ${TRADE} }` },
    ],
    [
      'calls another function that was made where its main was',
      {
        'bot.mjs': `const twice = (f) => function main(...given) { return f(...given); };\ntwice(() => undefined)();\nexport const main = twice(() => ${TRADE.slice(0, -1)});`,
      },
    ],
    [
      'calls what is as long as its main',
      {
        'bot.mjs': `export const main = () => { ${TRADE} };\nconst test = () => { console.error; };\ntest();`.replace(
          'console.error;',
          `void '${'x'.repeat(TRADE.length - 8)}';`,
        ),
      },
    ],
    ['freezes what is global', { 'bot.mjs': `Object.freeze(globalThis);\nexport function main() { ${TRADE} }` }],
    ['calls a bound main', { 'bot.mjs': `function go() { ${TRADE} }\nexport const main = go.bind(null);` }],
  ])('an entry that %s is called', async (_, files) => {
    expect(await run(node, 'node-runner.mjs', files)).toEqual(ONCE);
  });
});

const PRINT = 'print("trade")';
describe.concurrent('Python', () => {
  it.each<[string, Files]>([
    ['main', { 'bot.py': `def main():\n    ${PRINT}\n\nmain()\n` }],
    [
      'main, which has a description',
      { 'bot.py': `def main():\n    """Trades."""\n    ${PRINT}\n    assert main.__doc__ == "Trades."\n\nmain()\n` },
    ],
    [
      'an asynchronous main',
      {
        'bot.py': `import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    ${PRINT}\n\nasyncio.run(main())\n`,
      },
    ],
    ['main by another function', { 'bot.py': `def go():\n    main()\n\ndef main():\n    ${PRINT}\n\ngo()\n` }],
    [
      'main that it defines inside try',
      { 'bot.py': `try:\n    def main():\n        ${PRINT}\nfinally:\n    pass\nmain()\n` },
    ],
    [
      'a decorated main',
      {
        'bot.py': `import functools\ndef often(f):\n    @functools.wraps(f)\n    def inner():\n        return f()\n    return inner\n\n@often\ndef main():\n    ${PRINT}\n\nmain()\n`,
      },
    ],
    ['main that is another name of a function', { 'bot.py': `def run():\n    ${PRINT}\n\nmain = run\nrun()\n` }],
    ['main that is a lambda', { 'bot.py': `main = lambda: ${PRINT}\nmain()\n` }],
    [
      'main in a thread',
      {
        'bot.py': `import threading\ndef main():\n    ${PRINT}\n\nthread = threading.Thread(target=main)\nthread.start()\nthread.join()\n`,
      },
    ],
    ['main, and ends the program', { 'bot.py': `import sys\ndef main():\n    ${PRINT}\n\nsys.exit(main())\n` }],
    [
      'main, and imports everything',
      { 'bot.py': `from a import *\ndef main():\n    ${PRINT}\n\nmain()\n`, 'a.py': 'b = 1\n' },
    ],
  ])('an entry that calls %s is not called again, and hears so', async (_, files) => {
    expect(await run('python3', 'python_runner.py', files)).toEqual(TOLD('bot.py'));
  });

  it.each<[string, Files]>([
    [
      'calls a main that it replaces',
      { 'bot.py': `def main():\n    pass\n\nmain()\n\ndef main(bot_id):\n    ${PRINT}\n` },
    ],
    ['has no name for the system', { 'bot.py': `__spec__ = None\ndef main():\n    ${PRINT}\n` }],
    [
      'has a long sum',
      { 'bot.py': `X = ${Array.from({ length: 1500 }, () => 'abs(1)').join(' + ')}\ndef main():\n    ${PRINT}\n` },
    ],
    ['refers to main', { 'bot.py': `def main():\n    ${PRINT}\n\njobs = [main]\n` }],
    [
      'calls a method main',
      { 'bot.py': `class Other:\n    def main(self):\n        pass\n\nOther().main()\n\ndef main():\n    ${PRINT}\n` },
    ],
    [
      'begins with a future',
      { 'bot.py': `from __future__ import annotations\ndef main(bot_id: Nothing):\n    ${PRINT}\n` },
    ],
    [
      'fails in main with its own lines',
      {
        'bot.py': `import traceback\n\ndef main():\n    ${PRINT}\n    assert traceback.extract_stack()[-1].lineno == 5\n`,
      },
    ],
  ])('an entry that %s is called', async (_, files) => {
    expect(await run('python3', 'python_runner.py', files)).toEqual(ONCE);
  });
});
