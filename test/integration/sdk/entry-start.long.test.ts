import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { type Files, NODES, writeFiles } from '../../support/entry-nodes.ts';
import { ROOT } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';

/*
 * How entries start themselves, cell by cell as the tables of docs/writing-bots.md have it. Every entry prints the symbol
 * that it was started with: USER is the configuration that a person gave, TEST what the author wrote to try the bot out.
 */
const RUNNERS = join(ROOT, 'resources/runners');
// Before Node 22.15 there is no registerHooks: the same without it.
const WITHOUT_HOOKS = `--import=data:text/javascript,${encodeURIComponent(
  "import m, { syncBuiltinESMExports } from 'node:module'; delete m.registerHooks; syncBuiltinESMExports();",
)}`;

const DATABASE = createRequire(import.meta.url).resolve('better-sqlite3');

const CALLED = { exit: 0, said: 'USER\n', result: null };
const PROGRAM = { exit: 0, said: 'TEST\n', result: null };
const NOTHING = { exit: 0, said: '', result: null };

async function run(
  command: string,
  args: readonly string[],
  files: Files,
  NODE_OPTIONS = '',
  dir = tempDir('entry-start-'),
) {
  writeFiles(dir, files);
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
const IF_ID = "if (module.id === '.') main('test', TEST);\n";
const IF_META = "if (import.meta.main) main('test', TEST);\n";
const IF_ARGV =
  "import { pathToFileURL } from 'node:url';\nif (import.meta.url === pathToFileURL(process.argv[1]).href) main('test', TEST);\n";
const PLAIN = "main('test', TEST);\n";

/** Ways in which CommonJS exports what is called, each tried without a question, after one, and before one. */
const EXPORTS = [
  ['exports main', 'exports.main = main;\n'],
  ['exports an object that has main', 'module.exports = { main };\n'],
  ['exports an object with a value before main', "module.exports = { version: '1.0', main };\n"],
  ['adds main to what it exports', 'Object.assign(module.exports, { main });\n'],
  ['exports main by a computed name', "module['exp' + 'orts']['ma' + 'in'] = main;\n"],
  ['adds main to this', 'this.main = main;\n'],
  ['exports a default function', 'exports.default = main;\n'],
  ['exports a default object that has main', 'exports.default = { main };\n'],
  ['exports main and another default', "exports.main = main;\nexports.default = () => console.log('default');\n"],
  ['is a function', 'module.exports = main;\n'],
  ['is an arrow function', 'module.exports = (id, config) => main(id, config);\n'],
  ['is a class with a static main', 'module.exports = class { static main(...given) { main(...given); } };\n'],
  [
    'is an object with a method main',
    'class Bot { main(...given) { this.run(...given); } run(...given) { main(...given); } }\nmodule.exports = new Bot();\n',
  ],
  ['exports main and helpers', 'exports.half = (n) => n / 2;\nexports.main = main;\nexports.twice = (n) => n * 2;\n'],
].flatMap(
  ([what, text]) =>
    [
      [`${what}, and asks nothing`, { 'bot.js': `${JS}${text}` }, CALLED],
      [`${what}, then asks`, { 'bot.js': `${JS}${text}${IF_MAIN}` }, CALLED],
      [`asks, then ${what}`, { 'bot.js': `${JS}${IF_MAIN}${text}` }, CALLED],
    ] as const,
);

/** Questions, each before and after the file has become a function, and in a file that exports nothing. */
const QUESTIONS = [
  ['require.main', IF_MAIN],
  ['the file name of require.main', "if (require.main.filename === __filename) main('test', TEST);\n"],
  ['module.parent', "if (!module.parent) main('test', TEST);\n"],
  ['module.id', IF_ID],
  ['process.mainModule', "if (process.mainModule === module) main('test', TEST);\n"],
  ['process.argv[1]', "if (process.argv[1] === __filename) main('test', TEST);\n"],
].flatMap(
  ([what, text]) =>
    [
      [`is a function, then asks ${what}`, { 'bot.js': `${JS}module.exports = main;\n${text}` }, CALLED],
      [`asks ${what}, then becomes a function`, { 'bot.js': `${JS}${text}module.exports = main;\n` }, CALLED],
      [`exports nothing, and asks ${what}`, { 'bot.js': `${JS}${text}` }, PROGRAM],
    ] as const,
);

const notCalled = (names: string, file: string): string =>
  `WARN ${file} exports ${names}, which the platform does not call: it calls main, or the default\n`;
/** What a top level does to the world, into `said`, so that it can be counted. */
const EFFECTS = "require('node:fs').appendFileSync('effects', 'one\\n');\nconsole.log('top level');\n";

const COMMON_JS: readonly (readonly [string, Files, object])[] = [
  ...EXPORTS,
  ...QUESTIONS,
  [
    'exports one function of another name, and asks nothing',
    { 'bot.js': `${JS}exports.buy = (symbol, quantity) => console.log('bought', symbol);\n${PLAIN}` },
    { ...PROGRAM, stderr: notCalled('buy', 'bot.js') },
  ],
  [
    'exports several functions of other names, and asks nothing',
    { 'bot.js': `${JS}exports.a = main;\nexports.b = main;\n${PLAIN}` },
    { ...PROGRAM, stderr: notCalled('a, b', 'bot.js') },
  ],
  [
    'exports main, and calls what is like it',
    {
      'bot.js': `${JS}exports.main = main;\nfunction Main(id, config) { console.log(config.symbol); }\nMain('', { symbol: '-' });`,
    },
    { ...CALLED, said: '-\nUSER\n' },
  ],
  ['exports values alone, and asks nothing', { 'bot.js': `${JS}${PLAIN}exports.half = 0.5;` }, PROGRAM],
  ['asks, then exports values alone', { 'bot.js': `${JS}${IF_MAIN}exports.half = 0.5;` }, PROGRAM],
  ['asks, then exports a class of another name', { 'bot.js': `${JS}${IF_MAIN}exports.Half = class {};` }, PROGRAM],
  [
    'is made by tsc from a module without exports, and asks',
    { 'bot.js': `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n${JS}${IF_MAIN}` },
    PROGRAM,
  ],
  [
    'is made by tsc from a module that exports main, and asks',
    {
      'bot.js': `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\nexports.main = void 0;\n${JS}${IF_MAIN}exports.main = (id, config) => main(id, config);`,
    },
    CALLED,
  ],
  [
    'is made by esbuild, and asks before its names can be read',
    {
      'bot.js': `${JS}var it = {};\n${IF_MAIN}Object.defineProperty(it, 'main', { get: () => main, enumerable: true });\nmodule.exports = it;`,
    },
    CALLED,
  ],
  [
    'asks more than once, then becomes a function',
    { 'bot.js': `${JS}${IF_MAIN}${IF_ID}${IF_MAIN}module.exports = main;` },
    CALLED,
  ],
  [
    'waits for something, asks, then becomes a function',
    { 'bot.js': `${JS}setTimeout(() => console.log('waited'), 1);\n${IF_MAIN}module.exports = main;` },
    { ...CALLED, said: 'USER\nwaited\n' },
  ],
  [
    'exports main of another file',
    {
      'bot.js': `const main = require('./a').main;\nconst TEST = { symbol: 'TEST' };\n${IF_MAIN}module.exports = require('./a');`,
      'a.js': `${JS}exports.main = main;`,
    },
    CALLED,
  ],
  [
    'asks in a strict file with a first line for the shell',
    { 'bot.cjs': `#!/usr/bin/env node\n'use strict';\n${JS}${IF_MAIN}exports.main = main;` },
    CALLED,
  ],
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
    'asks, then exports a default function',
    { 'bot.mjs': `${JS}${IF_META}export default (id, config) => main(id, config);` },
    CALLED,
  ],
  [
    'asks, then exports a default object that has main',
    { 'bot.mjs': `${JS}${IF_META}export default { version: '1.0', main };` },
    CALLED,
  ],
  [
    'asks, then exports a default class with a static main',
    { 'bot.mjs': `${JS}${IF_META}export default class { static main(...given) { main(...given); } }` },
    CALLED,
  ],
  [
    'asks, then assigns the main that it exports',
    { 'bot.mjs': `${JS.replace('main', 'start')}export let main = start;\n${IF_META}` },
    CALLED,
  ],
  [
    'exports one function of another name, and asks nothing',
    { 'bot.mjs': `${JS}export { main as run };\n${PLAIN}` },
    { ...PROGRAM, stderr: notCalled('run', 'bot.mjs') },
  ],
  [
    'exports several functions of other names, and asks nothing',
    { 'bot.mjs': `${JS}export { main as a, main as b };\n${PLAIN}` },
    { ...PROGRAM, stderr: notCalled('a, b', 'bot.mjs') },
  ],
  ['exports values alone, and asks nothing', { 'bot.mjs': `${JS}${PLAIN}export const half = 0.5;` }, PROGRAM],
  [
    'exports an object without a function, and asks nothing',
    { 'bot.mjs': `${JS}${PLAIN}export default { name: 'x' };` },
    PROGRAM,
  ],
  ['exports nothing', { 'bot.mjs': JS + PLAIN }, PROGRAM],
  ['exports nothing, and waits at its top level', { 'bot.mjs': `${JS}await null;\n${PLAIN}` }, PROGRAM],
  ['exports nothing, and asks import.meta.main', { 'bot.mjs': JS + IF_META }, PROGRAM],
  ['exports nothing, and asks process.argv[1]', { 'bot.mjs': JS + IF_ARGV }, PROGRAM],
  [
    'exports main to a file that it imports, and asks',
    {
      'bot.mjs': `import './a.mjs';\n${JS}${IF_META}export { main };`,
      'a.mjs': "import { main } from './bot.mjs';\nexport const again = (...given) => main(...given);",
    },
    CALLED,
  ],
  ['has a first line for the shell, and asks', { 'bot.mjs': `#!/usr/bin/env node\n${JS}${IF_META}` }, PROGRAM],
];

const NOT_CALLED = 'none of that can be called';
const UNDECIDED: readonly (readonly [string, Files, string])[] = [
  ['exports a main that is no function, and asks', { 'bot.js': `${JS}exports.main = 5;\n${IF_MAIN}` }, NOT_CALLED],
  [
    'asks, and exports a main that is no function',
    { 'bot.js': `${JS}${IF_MAIN}exports.main = undefined;` },
    NOT_CALLED,
  ],
  [
    'exports a default that is no function, and asks',
    { 'bot.mjs': `${JS}${IF_META}export default { name: 'x' };` },
    NOT_CALLED,
  ],
  [
    'exports values alone, and asks import.meta.main',
    { 'bot.mjs': `${JS}${IF_META}export const half = 0.5;` },
    NOT_CALLED,
  ],
  [
    'exports one function of another name, and asks',
    { 'bot.js': `${JS}exports.run = main;\n${IF_MAIN}` },
    'exports run',
  ],
  [
    'asks, then exports one function and values',
    { 'bot.js': `${JS}${IF_MAIN}exports.run = main;\nexports.Limit = class {};\nexports.half = 0.5;` },
    'exports run, Limit, half',
  ],
  [
    'exports one function of another name, and asks import.meta.main',
    { 'bot.mjs': `${JS}${IF_META}await null;\nexport const run = (id, config) => main(id, config);` },
    'exports run',
  ],
  [
    'exports several functions of other names, and asks',
    { 'bot.js': `${JS}exports.a = main;\nexports.b = main;\n${IF_MAIN}` },
    'exports a, b',
  ],
  [
    'asks, then exports several functions of other names',
    { 'bot.js': `${JS}${IF_MAIN}exports.a = main;\nexports.b = main;` },
    'exports a, b',
  ],
  [
    'exports several functions of other names, and asks import.meta.main',
    { 'bot.mjs': `${JS}${IF_META}export { main as a, main as b };` },
    'exports a, b',
  ],
  ['is a class without a static main', { 'bot.js': `${JS}module.exports = class {};` }, 'exports a class'],
  [
    'is a class without a static main, and asks',
    { 'bot.js': `${JS}${IF_MAIN}module.exports = class {};` },
    'exports a class',
  ],
  [
    'exports a default class without a static main, and asks',
    { 'bot.mjs': `${JS}${IF_META}export default class {}` },
    'exports a class',
  ],
  [
    'starts a program before it asks, and exports nothing',
    { 'bot.js': `require('node:child_process').spawn('true');\n${JS}${IF_MAIN}` },
    'could not be tried without effects: ',
  ],
];

describe.concurrent.each(NODES)('%s', (_node, node) => {
  const args = [join(RUNNERS, 'node-runner.mjs')];
  it.each(COMMON_JS)('CommonJS that %s', async (_, files, expected) => {
    expect(await run(node, args, files)).toEqual({ stderr: '', ...expected });
  });

  it.each(UNDECIDED)('what %s fails, and says why', async (_, files, told) => {
    const ended = await run(node, args, files);
    expect(ended).toMatchObject({ exit: 1, said: '' });
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

  it.each([
    ['asks, then becomes a function', `${JS}${IF_MAIN}module.exports = main;`, 'top level\nUSER\n'],
    ['asks, and exports nothing', `${JS}${IF_MAIN}`, 'top level\nTEST\n'],
    [
      'asks, starts a program, then becomes a function',
      `${JS}${IF_MAIN}require('node:child_process').execSync('echo one >> effects');\nmodule.exports = main;`,
      'top level\nUSER\n',
      'one\none\n',
    ],
  ])('the top level of CommonJS that %s has its effects once', async (_, text, said, effects = 'one\n') => {
    const dir = tempDir('entry-start-');
    const ended = await run(node, args, { 'bot.js': `${EFFECTS}${text}` }, '', dir);
    expect(ended).toMatchObject({ exit: 0, said, stderr: '' });
    expect(readFileSync(join(dir, 'effects'), 'utf8')).toBe(effects);
  });

  it('an entry that works with native code, asks, and exports nothing is the program, once', async () => {
    const dir = tempDir('entry-start-');
    const open = `const db = new (require(${JSON.stringify(DATABASE)}))('db');\n`;
    const text = `${open}db.exec('CREATE TABLE seen (one)');\n${JS}${IF_MAIN}`;
    expect(await run(node, args, { 'bot.js': text }, '', dir)).toEqual({ stderr: '', ...PROGRAM });
  });

  it.each([
    [
      'writes a database of Node',
      "if (require('node:module').isBuiltin('node:sqlite')) new (require('node:sqlite').DatabaseSync)('db').exec('CREATE TABLE seen (one)');",
    ],
    ['listens', "require('node:net').createServer().listen('socket', function () { this.close(); });"],
    ['connects', "require('node:net').connect('none-such').on('error', () => undefined);"],
    [
      'sends a datagram',
      "const socket = require('node:dgram').createSocket('udp4');\nsocket.send('x', 9, '127.0.0.1', () => socket.close());",
    ],
    ['sends a signal', 'if (process.permission !== undefined) process.kill(process.ppid, 9);'],
    ['sends a signal around Node', 'if (process.permission !== undefined) process._kill(process.ppid, 9);'],
    ['debugs another program', 'if (process.permission !== undefined) process._debugProcess(process.ppid);'],
    [
      'ranks another program lower',
      "if (process.permission !== undefined) require('node:os').setPriority(process.ppid, 19);\nelse if (require('node:os').getPriority() === 19) console.log('ranked');",
    ],
    [
      'traces itself',
      "if (process.permission !== undefined) require('node:trace_events').createTracing({ categories: ['node'] }).enable();\nelse if (require('node:fs').readdirSync('.').length > 1) console.log('traced');",
    ],
  ])('an entry that %s, asks, and exports nothing is the program, once', async (_, text) => {
    expect(await run(node, args, { 'bot.js': `${text}\n${JS}${IF_MAIN}` })).toEqual({ stderr: '', ...PROGRAM });
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
  ['asks, then defines main', { 'bot.py': IF_NAME.replace('main(', 'start(') + PY }, CALLED],
  [
    'gets main by a function, then asks',
    {
      'bot.py': `${PY.replace('main', 'run')}def set_up():\n    global main\n    main = run\nset_up()\n${IF_NAME}`,
    },
    CALLED,
  ],
  [
    'asks, then imports everything, main among it',
    { 'bot.py': 'if __name__ == "__main__":\n    print("TEST")\nfrom a import *\n', 'a.py': PY },
    CALLED,
  ],
  [
    'asks with another sign, then imports everything, main among it',
    { 'bot.py': 'if not __name__ != "__main__":\n    print("TEST")\nfrom a import *\n', 'a.py': PY },
    CALLED,
  ],
  [
    'asks in a function, then imports everything, main among it',
    {
      'bot.py': 'def trial():\n    if __name__ == "__main__":\n        print("TEST")\ntrial()\nfrom a import *\n',
      'a.py': PY,
    },
    CALLED,
  ],
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
  [
    'defines main with parameters of its own that have defaults',
    { 'bot.py': 'def main(live=False, *, config):\n    print(live, config["symbol"])\n' },
    { ...CALLED, said: 'False USER\n' },
  ],
  [
    'defines main with defaults by the names of what it is given',
    { 'bot.py': 'def main(bot_id=None, config=None):\n    print(bot_id, config["symbol"])\n' },
    { ...CALLED, said: 'bot_1 USER\n' },
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
    ],
    [
      'asks, then imports everything, no main among it',
      { 'bot.py': 'if __name__ == "__main__":\n    print("TEST")\nfrom a import *\n', 'a.py': 'test = 1\n' },
      'above a `from … import *`',
    ],
  ])('a file that %s fails, and says why', async (_, files, told) => {
    const ended = await run('python3', args, files);
    expect(ended).toMatchObject({ exit: 1, said: '' });
    expect(ended.stderr).toContain(told);
    expect(JSON.parse(ended.result ?? 'null')).toMatchObject({ status: 'error' });
  });
});
