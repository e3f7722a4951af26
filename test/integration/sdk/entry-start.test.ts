import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { ROOT } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';

/*
 * How entries start themselves, cell by cell as the tables of docs/writing-bots.md have it. Every entry prints the symbol
 * that it was started with: USER is the configuration that a person gave, TEST what the author wrote to try the bot out.
 */
const RUNNERS = join(ROOT, 'resources/runners');
const OWN_NODE = join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node');
const NODES = [
  ['the Node of these tests', process.execPath],
  ...(existsSync(OWN_NODE) && OWN_NODE !== process.execPath ? [['the Node of the host', OWN_NODE] as const] : []),
] as const;
// Before Node 22.15 there is no registerHooks: the same without it.
const WITHOUT_HOOKS = `--import=data:text/javascript,${encodeURIComponent(
  "import m, { syncBuiltinESMExports } from 'node:module'; delete m.registerHooks; syncBuiltinESMExports();",
)}`;

type Files = Readonly<Record<string, string>>;
const CALLED = { exit: 0, said: 'USER\n', result: null };
const PROGRAM = { exit: 0, said: 'TEST\n', result: null };
const NOTHING = { exit: 0, said: '', result: null };

async function run(command: string, args: readonly string[], files: Files, NODE_OPTIONS = '') {
  const dir = tempDir('entry-start-');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  const result = join(dir, 'the-result.json');
  const { PATH = '' } = process.env;
  const { code, stdout, stderr } = await startProgram(command, [...args, Object.keys(files)[0] ?? ''], {
    cwd: dir,
    env: {
      PATH,
      NODE_OPTIONS,
      NODE_NO_WARNINGS: '1',
      PYTHONUNBUFFERED: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      BOT_ID: 'bot_1',
      BOT_CONFIG: '{"symbol":"USER"}',
      CODE_MOUNT_DIR: dir,
      RESULT_FILE: result,
    },
  }).ended;
  return { exit: code, said: stdout, result: existsSync(result) ? readFileSync(result, 'utf8') : null, stderr };
}

const JS = "function main(id, config) { console.log(config.symbol); }\nconst TEST = { symbol: 'TEST' };\n";
const IF_MAIN = "if (require.main === module) main('test', TEST);\n";
const IF_META = "if (import.meta.main) main('test', TEST);\n";
const IF_ARGV =
  "import { pathToFileURL } from 'node:url';\nif (import.meta.url === pathToFileURL(process.argv[1]).href) main('test', TEST);\n";
const PLAIN = "main('test', TEST);\n";

const COMMON_JS: readonly (readonly [string, Files, object])[] = [
  ['exports main', { 'bot.js': `${JS}exports.main = main;` }, CALLED],
  ['exports main, then asks require.main', { 'bot.js': `${JS}exports.main = main;\n${IF_MAIN}` }, CALLED],
  ['asks require.main, then exports main', { 'bot.js': `${JS}${IF_MAIN}module.exports = { main };` }, CALLED],
  [
    'exports main of another file',
    {
      'bot.js': `const main = require('./a').main;\nconst TEST = { symbol: 'TEST' };\n${IF_MAIN}module.exports = require('./a');`,
      'a.js': `${JS}exports.main = main;`,
    },
    CALLED,
  ],
  [
    'asks for the file name of require.main',
    { 'bot.js': `${JS}if (require.main.filename === __filename) main('test', TEST);\nexports.main = main;` },
    CALLED,
  ],
  ['asks module.parent', { 'bot.js': `${JS}if (!module.parent) main('test', TEST);\nexports.main = main;` }, CALLED],
  [
    'asks process.mainModule',
    { 'bot.js': `${JS}if (process.mainModule === module) main('test', TEST);\nexports.main = main;` },
    CALLED,
  ],
  [
    'asks process.argv[1]',
    { 'bot.js': `${JS}if (process.argv[1] === __filename) main('test', TEST);\nexports.main = main;` },
    CALLED,
  ],
  [
    'asks in a strict file with a first line for the shell',
    { 'bot.cjs': `#!/usr/bin/env node\n'use strict';\n${JS}${IF_MAIN}exports.main = main;` },
    CALLED,
  ],
  ['exports a default function, then asks', { 'bot.js': `${JS}exports.default = main;\n${IF_MAIN}` }, CALLED],
  ['is a function, then asks', { 'bot.js': `${JS}module.exports = main;\n${IF_MAIN}` }, CALLED],
  [
    'is a function, and looks through its arguments',
    { 'bot.js': `${JS}process.argv.includes('-v');\nmodule.exports = main;` },
    CALLED,
  ],
  [
    'is a function, and a library looks at process.argv[1]',
    { 'bot.js': `require('./a');\n${JS}module.exports = main;`, 'a.js': 'process.argv[1];' },
    CALLED,
  ],
  ['exports nothing', { 'bot.js': JS + PLAIN }, PROGRAM],
  ['exports nothing, and asks require.main', { 'bot.js': JS + IF_MAIN }, PROGRAM],
  [
    'exports nothing, and asks process.argv[1]',
    { 'bot.js': `${JS}if (process.argv[1] === __filename) main('test', TEST);` },
    PROGRAM,
  ],
  ['exports nothing, and asks module.parent', { 'bot.js': `${JS}if (!module.parent) main('test', TEST);` }, PROGRAM],
  [
    'exports a helper, and asks',
    { 'bot.js': `${JS}exports.half = (n) => n / 2;\n${IF_MAIN}` },
    { ...PROGRAM, result: null },
  ],
];

const MODULES: readonly (readonly [string, Files, object])[] = [
  ['exports main', { 'bot.mjs': `${JS}export { main };` }, CALLED],
  ['exports main, and asks import.meta.main', { 'bot.mjs': `${JS}${IF_META}export { main };` }, CALLED],
  ['exports main, and asks process.argv[1]', { 'bot.mjs': `${JS}${IF_ARGV}export { main };` }, CALLED],
  [
    'exports main, and a library asks process.argv[1]',
    {
      'bot.mjs': `import { isMain } from './a.mjs';\n${JS}if (isMain(import.meta)) main('test', TEST);\nexport { main };`,
      'a.mjs':
        "import { fileURLToPath } from 'node:url';\nexport const isMain = (meta) => fileURLToPath(meta.url) === process.argv[1];",
    },
    CALLED,
  ],
  ['exports a default function', { 'bot.mjs': `${JS}export default main;` }, CALLED],
  ['exports a default function, and asks', { 'bot.mjs': `${JS}${IF_META}export default main;` }, CALLED],
  [
    'exports main and another default',
    { 'bot.mjs': `${JS}${IF_META}export { main };\nexport default () => console.log('default');` },
    CALLED,
  ],
  [
    'exports another function as main',
    { 'bot.mjs': `${JS}${IF_META}export { main as main };\nexport const half = 1;` },
    CALLED,
  ],
  [
    'exports main of another file',
    {
      'bot.mjs': `import { main } from './a.mjs';\nconst TEST = { symbol: 'TEST' };\n${IF_META}export * from './a.mjs';`,
      'a.mjs': `${JS}export { main };`,
    },
    CALLED,
  ],
  ['waits at its top level, and exports main', { 'bot.mjs': `${JS}await null;\nexport { main };` }, CALLED],
  [
    'waits at its top level, exports main, and asks',
    { 'bot.mjs': `${JS}await null;\n${IF_META}export { main };` },
    CALLED,
  ],
  [
    'is a module by its package.json',
    { 'src/bot.js': `${JS}${IF_META}export { main };`, 'package.json': '{"type":"module"}' },
    CALLED,
  ],
  ['is a module by what it says', { 'bot.js': `${JS}export { main };` }, CALLED],
  [
    'exports an object without a function, and asks nothing',
    { 'bot.mjs': `${JS}${PLAIN}export default { name: 'x' };` },
    PROGRAM,
  ],
  ['exports nothing', { 'bot.mjs': JS + PLAIN }, PROGRAM],
  ['exports nothing, and waits at its top level', { 'bot.mjs': `${JS}await null;\n${PLAIN}` }, PROGRAM],
  ['exports nothing, and asks import.meta.main', { 'bot.mjs': JS + IF_META }, PROGRAM],
  ['exports nothing, and asks process.argv[1]', { 'bot.mjs': JS + IF_ARGV }, PROGRAM],
  ['exports a helper, and asks', { 'bot.mjs': `${JS}${IF_META}export const half = (n) => n / 2;` }, PROGRAM],
  [
    'exports a helper to a file that it imports, and asks',
    {
      'bot.mjs': `import './a.mjs';\n${JS}${IF_META}export const half = (n) => n / 2;`,
      'a.mjs': "import { half } from './bot.mjs';\nexport const quarter = (n) => half(half(n));",
    },
    PROGRAM,
  ],
  ['has a first line for the shell, and asks', { 'bot.mjs': `#!/usr/bin/env node\n${JS}${IF_META}` }, PROGRAM],
];

const LATE = 'asked whether it is the program before it had exported a function';
const NO_FUNCTION = 'neither of them a function';
const UNDECIDED: readonly (readonly [string, Files, string, string])[] = [
  ['asks, then becomes a function', { 'bot.js': `${JS}${IF_MAIN}module.exports = main;` }, LATE, 'TEST\n'],
  [
    'asks process.argv[1], then becomes a function',
    { 'bot.js': `${JS}if (process.argv[1] === __filename) main('test', TEST);\nmodule.exports = main;` },
    LATE,
    'TEST\n',
  ],
  ['exports a main that is no function, and asks', { 'bot.js': `${JS}exports.main = 5;\n${IF_MAIN}` }, NO_FUNCTION, ''],
  [
    'exports a default that is no function, and asks',
    { 'bot.mjs': `${JS}${IF_META}export default { name: 'x' };` },
    NO_FUNCTION,
    '',
  ],
];

describe.concurrent.each(NODES)('%s', (_node, node) => {
  const args = [join(RUNNERS, 'node-runner.mjs')];
  it.each(COMMON_JS)('CommonJS that %s', async (_, files, expected) => {
    expect(await run(node, args, files)).toEqual({ stderr: '', ...expected });
  });

  it.each(UNDECIDED)('what %s fails, and says why', async (_, files, told, said) => {
    const ended = await run(node, args, files);
    expect(ended).toMatchObject({ exit: 1, said });
    expect(ended.stderr).toContain(`ERROR ${Object.keys(files)[0]} `);
    expect(ended.stderr).toContain(told);
    expect(JSON.parse(ended.result ?? 'null')).toMatchObject({ status: 'error' });
  });

  it.each(
    [
      ['with hooks', ''],
      ['without hooks', WITHOUT_HOOKS],
    ].flatMap(([how, options]) => MODULES.map((row) => [how, ...row, options] as const)),
  )('%s: an ES module that %s', async (_how, _, files, expected, options) => {
    expect(await run(node, args, files, options)).toEqual({ stderr: '', ...expected });
  });

  it('one that started itself and must not is ended before it can wait for anything', async () => {
    const source = `const main = async (id, config) => { await null; console.log(config.symbol); };\nif (require.main === module) main('test', { symbol: 'TEST' });\nmodule.exports = main;`;
    expect(await run(node, args, { 'bot.js': source })).toMatchObject({ exit: 1, said: '' });
  });
});

const PY = 'def main(bot_id, config):\n    print(config["symbol"])\n';
const IF_NAME = 'if __name__ == "__main__":\n    main("test", {"symbol": "TEST"})\n';
const PYTHON: readonly (readonly [string, Files, object])[] = [
  ['defines main', { 'bot.py': PY }, CALLED],
  ['defines main, and asks', { 'bot.py': PY + IF_NAME }, CALLED],
  [
    'defines an asynchronous main, and asks',
    {
      'bot.py': `import asyncio\nasync ${PY}if __name__ == "__main__":\n    asyncio.run(main("test", {"symbol": "TEST"}))\n`,
    },
    CALLED,
  ],
  [
    'defines main inside try, and asks',
    {
      'bot.py': `try:\n    import none_such\nexcept ImportError:\n    def main(bot_id, config):\n        print(config["symbol"])\n${IF_NAME}`,
    },
    CALLED,
  ],
  [
    'assigns main with a type, and asks',
    { 'bot.py': `from collections.abc import Callable\n${PY.replace('main', 'run')}main: Callable = run\n${IF_NAME}` },
    CALLED,
  ],
  [
    'imports a module as main, which is called',
    { 'bot.py': `from a import run as main\n${IF_NAME}`, 'a.py': PY.replace('main', 'run') },
    CALLED,
  ],
  ['imports everything, main among it, and asks', { 'bot.py': `from a import *\n${IF_NAME}`, 'a.py': PY }, CALLED],
  ['is named __main__.py, and asks', { '__main__.py': PY + IF_NAME }, CALLED],
  ['defines no main', { 'bot.py': 'print("TEST")\n' }, PROGRAM],
  ['defines no main, and asks', { 'bot.py': 'if __name__ == "__main__":\n    print("TEST")\n' }, PROGRAM],
  [
    'imports everything, no main among it, and asks',
    { 'bot.py': 'from a import *\nif "__main__" == __name__:\n    print(test)\n', 'a.py': 'test = "TEST"\n' },
    PROGRAM,
  ],
  [
    'imports everything, and asks nothing',
    {
      'bot.py': 'import logging\nfrom a import *\nlogging.getLogger(__name__)\nprint(test)\n',
      'a.py': 'test = "TEST"\n',
    },
    PROGRAM,
  ],
  [
    'has a main of its own in a function',
    { 'bot.py': 'def start():\n    def main(): pass\n    print("TEST")\nif __name__ == "__main__":\n    start()\n' },
    PROGRAM,
  ],
  ['calls itself something else', { 'bot.py': 'if __name__ != "__main__":\n    print("no")\n' }, NOTHING],
];

describe.concurrent('Python', () => {
  const args = [join(RUNNERS, 'python_runner.py')];
  it.each(PYTHON)('a file that %s', async (_, files, expected) => {
    expect(await run('python3', args, files)).toEqual({ stderr: '', ...expected });
  });

  it.each([
    [
      'defines main as no function, and asks',
      { 'bot.py': `main = None\n${IF_NAME}` },
      'a name main that is no function',
      '',
    ],
    [
      'asks, then imports everything, main among it',
      { 'bot.py': 'if __name__ == "__main__":\n    print("TEST")\nfrom a import *\n', 'a.py': PY },
      'before it had a function main',
      'TEST\n',
    ],
  ])('a file that %s fails, and says why', async (_, files, told, said) => {
    const ended = await run('python3', args, files);
    expect(ended).toMatchObject({ exit: 1, said });
    expect(ended.stderr).toContain(told);
    expect(JSON.parse(ended.result ?? 'null')).toMatchObject({ status: 'error' });
  });
});
