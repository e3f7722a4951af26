import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { controlFiles, makeControlFiles, StopHook, tokenDigest } from '../../../src/main/host/engine/stop-hook.ts';
import { systemClock } from '../../../src/node/clock.ts';
import { compile } from '../../support/compile.ts';
import { ROOT } from '../../support/platform.ts';
import { everyVariant, variants } from '../../support/proof.ts';
import { tempDir } from '../../support/temp.ts';
import { until } from '../../support/until.ts';

const SDK = join(ROOT, 'resources/sdk');
const built = tempDir('stop-hooks-');
const TOKEN = 'ct_of_this_run';

/*
 * The same bot in each language: it keeps the reasons that its hooks were told, and fails on a panic. Beside its own
 * variables it tells those that a program which it starts inherits.
 */
const NODE = `
import { execFileSync } from 'node:child_process';
import { log, on_stop, sleep, state } from '${join(SDK, 'node/index.mjs')}';
const keep = (text) => state.set('calls', [...state.get('calls', []), text]);
on_stop('any', async (reason) => {
  await sleep(1);
  keep('any ' + reason);
});
on_stop('guard', (reason) => keep('own ' + reason));
on_stop('panic', () => {
  throw new Error('no route');
});
let refused = '';
try {
  on_stop('lunch', () => undefined);
} catch (error) {
  refused = error.message.includes('lunch') ? 'refused' : '';
}
log('ready ' + refused + execFileSync('sh', ['-c', 'env | grep -c ^CONTROL_ || true']).toString().trim());
setInterval(() => undefined, 1000);
`;
const PYTHON = `
import subprocess, threading
from platform_sdk import log, on_stop, state
def keep(text):
    state.set("calls", [*state.get("calls", []), text])
@on_stop("any")
async def rest(reason):
    keep("any " + reason)
on_stop("guard", lambda reason: keep("own " + reason))
@on_stop("panic")
def fail(reason):
    raise RuntimeError("no route")
refused = ""
try:
    on_stop("lunch", lambda reason: None)
except ValueError as error:
    refused = "refused" if "lunch" in str(error) else ""
inherited = subprocess.run(["sh", "-c", "env | grep -c ^CONTROL_ || true"], capture_output=True, text=True).stdout.strip()
log("ready " + refused + inherited)
threading.Event().wait()
`;
const CPP = `
#include <platform/platform.h>
static void keep(const std::string& text) {
    platform::json calls = platform::state::get_or("calls", platform::json::array());
    calls.push_back(text);
    platform::state::set("calls", calls);
}
int main() {
    platform::on_stop("any", [](const std::string& reason) { keep("any " + reason); });
    platform::on_stop("guard", [](const std::string& reason) { keep("own " + reason); });
    platform::on_stop("panic", [](const std::string&) { throw std::runtime_error("no route"); });
    std::string refused;
    try {
        platform::on_stop("lunch", nullptr);
    } catch (const std::invalid_argument& error) {
        refused = std::string(error.what()).find("lunch") == std::string::npos ? "" : "refused";
    }
    char inherited[16] = "";
    FILE* child = popen("env | grep -c ^CONTROL_ || true", "r");
    if (std::fgets(inherited, sizeof inherited, child) != nullptr) inherited[std::strcspn(inherited, "\\n")] = 0;
    pclose(child);
    platform::log("ready " + refused + inherited);
    for (;;) platform::sleep(std::chrono::seconds(1));
}
`;
writeFileSync(join(built, 'bot.mjs'), NODE);
writeFileSync(join(built, 'bot.py'), PYTHON);
writeFileSync(join(built, 'bot.cpp'), `#include <cstring>\n${CPP}`);

beforeAll(async () => {
  if (!everyVariant) return;
  await compile(join(built, 'bot.cpp'), join(built, 'bot'), [
    '-std=c++17',
    '-O0',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-pthread',
  ]);
});

const LANGUAGES = variants(
  [
    { language: 'node', program: process.execPath, args: [join(built, 'bot.mjs')], trace: /Error: no route\n\s+at / },
    {
      language: 'python',
      program: 'python3',
      args: [join(built, 'bot.py')],
      trace: /Traceback[\s\S]*RuntimeError: no route/,
    },
  ],
  [{ language: 'c++', program: join(built, 'bot'), args: [], trace: /ERROR The stop hook failed: no route/ }],
);

/** Starts the bot with a control channel, or without one. */
async function start(program: string, args: readonly string[], hasChannel = true) {
  const dir = tempDir('stop-hook-');
  const state = join(dir, 'state');
  mkdirSync(state);
  const files = controlFiles(dir);
  await makeControlFiles(files);
  const { PATH = '' } = process.env;
  const channel = { CONTROL_DIR: dir, CONTROL_TOKEN_SHA256: tokenDigest(TOKEN) };
  const child: ChildProcess = spawn(program, args, {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: {
      ...{ PATH, PYTHONPATH: join(SDK, 'python'), PYTHONDONTWRITEBYTECODE: '1', STATE_DIR: state },
      ...(hasChannel ? channel : {}),
    },
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await until('the bot to be ready', () => said.includes('ready '));
  return {
    files,
    child,
    said: () => said,
    ask: (reason: 'requested' | 'guard' | 'panic', token = TOKEN) =>
      new StopHook(files, token, systemClock).run(reason, 30_000, exited),
    calls: (): unknown => JSON.parse(readFileSync(join(state, 'calls.json'), 'utf8')),
  };
}

describe.each(LANGUAGES)('on_stop in $language', ({ program, args, trace }) => {
  it('calls the handler of the reason, else that of any, and once', async () => {
    const bot = await start(program, args);
    expect(bot.said()).toContain('ready refused0');
    expect(await bot.ask('guard')).toEqual({ is: 'done' });
    expect(await bot.ask('requested')).toEqual({ is: 'done' });
    expect(bot.calls()).toEqual(['own guard']);
    const other = await start(program, args);
    expect(await other.ask('requested')).toEqual({ is: 'done' });
    expect(other.calls()).toEqual(['any requested']);
    expect([bot.child.exitCode, other.child.exitCode]).toEqual([null, null]);
  });

  it('tells what a handler threw, with its traceback in the log', async () => {
    const bot = await start(program, args);
    expect(await bot.ask('panic')).toEqual({ is: 'failed', error: 'no route' });
    await until('the traceback', () => trace.test(bot.said()));
  });

  it('obeys no token but that of its run, and the host all the same afterwards', async () => {
    const bot = await start(program, args);
    const forged = [tokenDigest(TOKEN), 'ct_of_another', '', null, 7, {}].map((token) =>
      JSON.stringify({ token, reason: 'panic', until: Date.now() + 60_000 }),
    );
    for (const text of [...forged, '[]', '{', 'null', '\\0']) {
      writeFileSync(bot.files.stop, text.padEnd(512));
      // Each is there for longer than the bot takes between two looks.
      const before = performance.now();
      await until('the bot to have looked', () => performance.now() - before > 150);
    }
    expect(readFileSync(bot.files.hook, 'utf8')).toContain('"ended":null');
    expect(await bot.ask('guard')).toEqual({ is: 'done' });
    expect(bot.calls()).toEqual(['own guard']);
  });

  it('changes nothing without a host', async () => {
    const bot = await start(program, args, false);
    expect(bot.said()).toContain('ready refused0');
    expect(await bot.ask('guard')).toEqual({ is: 'none' });
  });
});
