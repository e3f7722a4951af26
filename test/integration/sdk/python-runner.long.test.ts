import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { ROOT } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';

const RUNNER = join(ROOT, 'resources/runners/python_runner.py');

interface Options {
  readonly entry?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the first of these files, or `entry`, as the engine does. */
async function run(files: Readonly<Record<string, string>>, options: Options = {}) {
  const dir = tempDir('python-runner-');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  const entry = options.entry ?? Object.keys(files)[0] ?? '';
  const result = join(dir, 'the-result.json');
  const { PATH = '' } = process.env;
  const { code, stdout, stderr } = await startProgram(
    'python3',
    [RUNNER, ...(entry === '' ? [] : [entry]), ...(options.args ?? [])],
    {
      cwd: dir,
      env: {
        PATH,
        PYTHONUNBUFFERED: '1',
        PYTHONDONTWRITEBYTECODE: '1',
        BOT_ID: 'bot_1',
        BOT_CONFIG: '{"n":5}',
        CODE_MOUNT_DIR: dir,
        RESULT_FILE: result,
        ...options.env,
      },
    },
  ).ended;
  return { dir, exit: code, stdout, stderr, result: existsSync(result) ? readFileSync(result, 'utf8') : null };
}

describe.concurrent('what is called', () => {
  it.each([
    ['main', 'def main(bot_id, config):\n    return {"given": [bot_id, config]}\n'],
    ['an asynchronous main', 'async def main(bot_id, config):\n    return {"given": [bot_id, config]}\n'],
    ['main with any arguments', 'def main(*given):\n    return {"given": list(given)}\n'],
    ['main that is assigned', 'def run(a, b):\n    return {"given": [a, b]}\nmain = run\n'],
    [
      'a class that can be called',
      'class Bot:\n    def __call__(self, a, b):\n        return {"given": [a, b]}\nmain = Bot()\n',
    ],
  ])('%s is called with id and config, its object is the result', async (_, source) => {
    expect(await run({ 'bot.py': source })).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: '',
      result: '{"given":["bot_1",{"n":5}]}',
    });
  });

  it.each([
    ['no argument', 'def main():\n    return {"n": 0}\n', '{"n":0}'],
    ['one argument', 'def main(bot_id):\n    return {"id": bot_id}\n', '{"id":"bot_1"}'],
    ['one and an optional one', 'def main(bot_id, config=None):\n    return config\n', '{"n":5}'],
    ['both as optional', 'def main(bot_id="", config=None):\n    return [bot_id, config]\n', '["bot_1",{"n":5}]'],
    ['the config as optional alone', 'def main(config=None):\n    return config\n', '{"n":5}'],
    ['the config alone', 'def main(config):\n    return config\n', '{"n":5}'],
    ['both the other way round', 'def main(config, bot_id):\n    return [bot_id, config]\n', '["bot_1",{"n":5}]'],
    ['both by other names', 'def main(a, b):\n    return [a, b]\n', '["bot_1",{"n":5}]'],
    [
      'an optional one between',
      'def main(bot_id, live=False, config=None):\n    return [bot_id, live, config]\n',
      '["bot_1",false,{"n":5}]',
    ],
    ['a name alone', 'def main(*, config, live=False):\n    return [config, live]\n', '[{"n":5},false]'],
    ['one and any more', 'def main(bot_id, *more):\n    return [bot_id, *more]\n', '["bot_1",{"n":5}]'],
    [
      'what stands before a slash',
      'def main(live=False, config=None, /):\n    return [live, config]\n',
      '[false,{"n":5}]',
    ],
    [
      'what a decorator passes on by position',
      'import functools\ndef passes(f):\n    @functools.wraps(f)\n    def inner(*given):\n        return f(*given)\n    return inner\n@passes\ndef main(bot_id, live=False, config=None):\n    return [bot_id, live, config]\n',
      '["bot_1",false,{"n":5}]',
    ],
    ['any by name', 'def main(**config):\n    return config\n', '{}'],
  ])('main takes %s', async (_, source, result) => {
    expect(await run({ 'bot.py': source })).toMatchObject({ exit: 0, stderr: '', result });
  });

  it.each([
    ['an optional one', 'def main(live=False):\n    return {"live": live}\n', '{"live":false}', 'live'],
    ['optional arguments', 'def main(argv=None):\n    return {"argv": argv}\n', '{"argv":null}', 'argv'],
    ['an optional one and any more', 'def main(live=False, *more):\n    return [live, *more]\n', '[false]', 'live'],
    ['the config by another name', 'def main(bot_id="", conf=None):\n    return [conf]\n', '[null]', 'conf'],
  ])('main takes %s, which keeps its default, and hears so', async (_, source, result, name) => {
    expect(await run({ 'bot.py': source })).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(`^WARN main is not given the configuration: ${name} has a default`),
      result,
    });
  });

  it('main of a module beside the entry', async () => {
    const files = {
      'src/bot.py': 'from strategy import main\n',
      'src/strategy.py': 'def main():\n    return {"a": 1}\n',
    };
    expect(await run(files)).toMatchObject({ exit: 0, stderr: '', result: '{"a":1}' });
  });

  it.each([
    ['a plain script', 'import sys\nprint("ran", __name__, *sys.argv[1:])\n'],
    ['a guarded script', 'import sys\nif __name__ == "__main__":\n    print("ran", __name__, *sys.argv[1:])\n'],
  ])('%s runs as the program', async (_, source) => {
    const args = ['more'];
    expect(await run({ 'bot.py': source }, { args })).toMatchObject({
      exit: 0,
      stdout: 'ran __main__ more\n',
      stderr: '',
    });
  });

  it('the guarded block of a module with main does not run', async () => {
    const source = 'def main():\n    print("once")\nif __name__ == "__main__":\n    main()\n';
    expect(await run({ 'bot.py': source })).toMatchObject({ exit: 0, stdout: 'once\n' });
  });
});

describe.concurrent('what is imported', () => {
  it('is the SDK without being installed', async () => {
    const source = 'from platform_sdk import log, metric, parse\nlog(parse()[0])\nmetric("m", {"n": 1})\n';
    const { exit, stdout, stderr } = await run({ 'bot.py': source });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'bot_1\n' });
    expect(stdout).toMatch(/^\{"_metric":"m","n":1,"timestamp":\d+\}\n$/);
  });

  it.each([
    ['an SDK that the bot brought along', 'vendor/platform_sdk.py', 'import platform_sdk as it\nprint(it.own)\n'],
    ['a vendored library', 'vendor/library/__init__.py', 'import library as it\nprint(it.own)\n'],
    ['a module of the bot', 'helper.py', 'import helper as it\nprint(it.own)\n'],
  ])('is %s', async (_, name, source) => {
    expect(await run({ 'bot.py': source, [name]: 'own = "a copy"\n' })).toMatchObject({ exit: 0, stdout: 'a copy\n' });
  });

  it('is never the platform module of Python in place of the SDK', async () => {
    const source = 'import platform\nprint(platform.python_implementation())\n';
    expect(await run({ 'bot.py': source })).toMatchObject({ exit: 0, stdout: 'CPython\n' });
  });
});

describe.concurrent('the result', () => {
  it("is never taken from the bot's own hands", async () => {
    const source = 'from platform_sdk import success\ndef main():\n    success("mine")\n    return {"theirs": 1}\n';
    expect(await run({ 'bot.py': source })).toMatchObject({
      exit: 0,
      result: '{"status":"success","message":"mine"}',
    });
  });

  it.each([
    ['[1, 2]', '[1,2]'],
    ['"text"', null],
    ['5', null],
    ['None', null],
  ])('of main returning %s is %s', async (value, result) => {
    expect(await run({ 'bot.py': `def main():\n    return ${value}\n` })).toMatchObject({ exit: 0, result });
  });

  it('stands beside the code where RESULT_FILE is not set', async () => {
    const { dir } = await run({ 'bot.py': 'def main():\n    return {"a": 1}\n' }, { env: { RESULT_FILE: '' } });
    expect(readFileSync(join(dir, 'result.json'), 'utf8')).toBe('{"a":1}');
  });

  it('that JSON cannot hold is an error', async () => {
    const { exit, stderr, result } = await run({ 'bot.py': 'def main():\n    return {"set": {1}}\n' });
    expect({ exit, result }).toEqual({ exit: 1, result: null });
    expect(stderr).toContain('set is not JSON serializable');
  });
});

describe.concurrent('a failure ends with exit code 1 and a traceback', () => {
  it.each([
    [
      'main raises',
      'def main():\n    raise ValueError("no luck")\n',
      ['bot.py", line 2, in main', 'ValueError: no luck'],
    ],
    [
      'async main raises',
      'async def main():\n    raise ValueError("no luck")\n',
      ['bot.py", line 2', 'ValueError: no luck'],
    ],
    ['the script raises', 'raise ValueError("no luck")\n', ['bot.py", line 1', 'ValueError: no luck']],
    [
      'there is a cause',
      'try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError("a") from e\n',
      ['ZeroDivisionError', 'ValueError: a'],
    ],
    ['the config is no JSON', 'def main():\n    print("called")\n', ['JSONDecodeError'], { BOT_CONFIG: 'no' }],
    ['a syntax error', 'x = = 1\n', ['bot.py", line 1', 'SyntaxError']],
    ['a module is missing', 'import not_there_at_all\n', ["No module named 'not_there_at_all'"]],
  ])('%s', async (_, source, told, env: Options['env'] = {}) => {
    const { exit, stdout, stderr, result } = await run({ 'bot.py': source }, { env });
    expect({ exit, stdout, result }).toEqual({ exit: 1, stdout: '', result: null });
    for (const text of told) expect(stderr).toContain(text);
    expect(stderr).not.toContain('python_runner.py');
  });

  it.each([
    ['there is no such file', 'none.py', 'No such file'],
    ['no entry is given', '', 'needs the path of the entry'],
  ])('%s', async (_, entry, told) => {
    const { exit, stderr } = await run({ 'bot.py': '' }, { entry });
    expect(exit).toBe(1);
    expect(stderr).toContain(told);
  });

  it('an exit code of its own is kept', async () => {
    expect(await run({ 'bot.py': 'import sys\ndef main():\n    sys.exit(7)\n' })).toMatchObject({
      exit: 7,
      stderr: '',
    });
  });
});

describe.skipIf(process.platform === 'win32').concurrent('a signal that comes amid a call of the SDK', () => {
  it('ends a bot whose state was replaced in that moment, also where it goes on after every failed round', async () => {
    const bot = `
import os, signal, sys
from platform_sdk import log, state
replace = os.replace
def replaced(*paths):
    replace(*paths)
    os.kill(os.getpid(), signal.SIGTERM)
os.replace = replaced
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
for count in range(3):
    try:
        state.set("count", count)
    except Exception as failure:
        log(f"Round failed: {failure}", "error")
log("went on")
`;
    const state = tempDir('python-state-');
    expect(await run({ 'bot.py': bot }, { env: { STATE_DIR: state } })).toMatchObject({ exit: 0, stderr: '' });
    expect(readdirSync(state)).toEqual(['count.json']);
    expect(readFileSync(join(state, 'count.json'), 'utf8')).toBe('0');
  });

  it('may be logged by who handles it while another line is written', async () => {
    const bot = `
import os, signal, sys
from platform_sdk import log
write = os.write
def writing(fd, data):
    os.write = write
    os.kill(os.getpid(), signal.SIGTERM)
    return write(fd, data)
def stop(*_):
    log("stopping")
    sys.exit(0)
os.write = writing
signal.signal(signal.SIGTERM, stop)
log("the line")
`;
    expect(await run({ 'bot.py': bot })).toMatchObject({ exit: 0, stderr: 'stopping\n' });
  });
});
