import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Engine } from '../../src/main/host/engine/engine.ts';
import type { QueryRun } from '../../src/main/host/query/query-run.ts';
import { createQueryService, type QueryServiceOptions } from '../../src/main/host/query/query-service.ts';
import { compile } from './compile.ts';
import { tempDir } from './temp.ts';
import { unitSpec } from './units.ts';
import { until } from './until.ts';

const PYTHON = `import os, sys, threading, time
from platform_sdk import query, state
AT_START = state.get("counter")
def crash(request):
    print("first", file=sys.stderr)
    print("token=hunter2 is wrong", file=sys.stderr, flush=True)
    os._exit(4)
def write(request):
    state.set("counter", 99)
query.handler("/echo", lambda request: request.params)
query.handler("/state", lambda request: [AT_START, state.get("counter")])
query.handler("/pid", lambda request: os.getpid())
query.handler("/broken", lambda request: 1 / 0)
query.handler("/large", lambda request: "x" * 9_000_000)
query.handler("/too-large", lambda request: "x" * 11_000_000)
query.handler("/slow", lambda request: time.sleep(3600))
query.handler("/crash", crash)
query.handler("/write", write)
query.run()
`;
const NODE = `import { query, state } from '@bot-platform/sdk';
const atStart = state.get('counter', null);
query.handler('/echo', (request) => request.params);
query.handler('/state', () => [atStart, state.get('counter', null)]);
query.handler('/pid', () => process.pid);
query.handler('/broken', () => { throw new Error('division by zero'); });
await query.run();
`;
const CPP = `#include <platform/platform.h>
#include <unistd.h>
using platform::json;
namespace query = platform::query;
int main() {
    const json at_start = platform::state::get("counter", json());
    query::handler("/echo", [](const query::request& asked) -> json { return asked.params; });
    query::handler("/state", [&](const query::request&) -> json {
        return json::array({at_start, platform::state::get("counter", json())});
    });
    query::handler("/pid", [](const query::request&) -> json { return getpid(); });
    query::handler("/broken", [](const query::request&) -> json { throw std::runtime_error("division by zero"); });
    query::run();
}
`;

/** A package with a query program, by language. */
export interface QueryPackage {
  readonly runtime: string;
  readonly entry: string;
  readonly codeDir: string;
}

/** The same handlers in a language of the SDKs. Building the C++ program takes a while. */
export async function queryPackage(language: 'python' | 'node' | 'c++'): Promise<QueryPackage> {
  const codeDir = tempDir('query-package-');
  if (language === 'python') return written(codeDir, 'python311', 'query.py', PYTHON);
  if (language === 'node') return written(codeDir, 'nodejs24', 'query.mjs', NODE);
  const source = join(tempDir('query-source-'), 'query.cpp');
  writeFileSync(source, CPP);
  await compile(source, join(codeDir, 'query'), ['-std=c++17', '-O0', '-pthread']);
  return { runtime: 'gcc13', entry: 'query', codeDir };
}

/** A package of one source file. */
export function written(codeDir: string, runtime: string, entry: string, source: string): QueryPackage {
  writeFileSync(join(codeDir, entry), source);
  return { runtime, entry, codeDir };
}

const mask = (text: string): string => text.replaceAll('hunter2', '********');

/** A service, and one bot to ask; both end with the test. */
export function askedBot(engine: Engine, program: QueryPackage, options: QueryServiceOptions = {}) {
  const faults: string[] = [];
  const report = (where: string, error: unknown): void => void faults.push(`${where}: ${String(error)}`);
  const service = createQueryService({ ...options, warm: { report, ...options.warm } });
  onTestFinished(() => service.close());
  const root = tempDir('asked-bot-');
  const keys = join(root, 'state/.platform');
  mkdirSync(keys, { recursive: true });
  const runDirs: string[] = [];
  const specOf = (botId: string, config: string) => {
    const spec = unitSpec(root, program.entry, { ...program, role: 'query', botId, queryRun: true });
    runDirs.push(spec.runDir);
    return { ...spec, env: { ...spec.env, BOT_ID: botId, BOT_CONFIG: config } };
  };
  /** A query run; `isThere` tells whether the bot still exists. */
  const runOf = (config = '{"n":1}', botId = 'bot_1', isThere = () => true): QueryRun => ({
    engine,
    spec: specOf(botId, config),
    mask,
    isThere,
    another: () => specOf(botId, config),
  });
  const ask = (path: string, params: Record<string, unknown> = {}, timeoutMs = 30_000, run = runOf()) =>
    service.run(run, { path, params, timeoutMs });
  return {
    service,
    root,
    faults,
    runDirs,
    ask,
    runOf,
    /** As the SDKs write it: a reader sees the old value or the new one. */
    setState: (text: string): void => {
      writeFileSync(join(keys, '.tmp-1-1'), text);
      renameSync(join(keys, '.tmp-1-1'), join(keys, 'counter.json'));
    },
    /** Resolves once a program waits for the next question. */
    waits: (count = 1) => until('a program that waits', () => service.waiting().waiting === count),
  };
}
