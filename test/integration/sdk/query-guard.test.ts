import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort, startProgram } from '../../support/child-program.ts';
import { compile } from '../../support/compile.ts';
import { ROOT } from '../../support/platform.ts';
import { everyVariant, variants } from '../../support/proof.ts';
import { say } from '../../support/query-server.ts';
import { tempDir } from '../../support/temp.ts';
import { until } from '../../support/until.ts';

interface Case {
  readonly name: string;
  readonly send: readonly string[];
  /** What a server answers that was given a token, and one that was not. */
  readonly with: string;
  readonly without: string;
}

interface Vectors {
  readonly token: string;
  readonly errors: Readonly<Record<string, string>>;
  readonly cases: readonly Case[];
}

const vectors: Vectors = JSON.parse(readFileSync(join(ROOT, 'resources/sdk/vectors/query-guard.json'), 'utf8'));
const { token } = vectors;
const dir = tempDir('query-guard-');
const RUNNERS = join(ROOT, 'resources/runners');

/** Each answers `/seen` with the token that the program itself, and a program that it starts, find in the environment. */
const PYTHON = `
import os, subprocess
from platform_sdk import query
child = lambda: subprocess.run(["sh", "-c", "echo $QUERY_TOKEN"], capture_output=True, text=True).stdout.strip()
query.handler("/seen", lambda request: [os.environ.get("QUERY_TOKEN", ""), child()])
query.run()
`;
const NODE = `
import { execFileSync } from 'node:child_process';
import { query } from '@bot-platform/sdk';
const child = () => execFileSync('sh', ['-c', 'echo $QUERY_TOKEN']).toString().trim();
query.handler('/seen', () => [process.env.QUERY_TOKEN ?? '', child()]);
query.run();
`;
const CPP = `
#include <platform/platform.hpp>
#include <cstdio>
int main() {
    platform::query::handler("/seen", [](const platform::query::request&) -> platform::json {
        const char* own = std::getenv("QUERY_TOKEN");
        char line[256] = "";
        FILE* child = popen("echo $QUERY_TOKEN", "r");
        if (std::fgets(line, sizeof line, child) == nullptr) line[0] = 0;
        pclose(child);
        std::string text = line;
        while (!text.empty() && text.back() == '\\n') text.pop_back();
        return platform::json::array({own == nullptr ? "" : own, text});
    });
    platform::query::run();
}
`;

// A thread does not know the SDK by its name.
const SDK = pathToFileURL(join(ROOT, 'resources/sdk/node/index.mjs')).href;
writeFileSync(join(dir, 'worker.mjs'), NODE.replace('@bot-platform/sdk', SDK));
writeFileSync(join(dir, 'query.py'), PYTHON);
writeFileSync(join(dir, 'query.mjs'), NODE);
/** A thread that serves, started after the SDK has taken the token out of the environment. */
writeFileSync(
  join(dir, 'thread.mjs'),
  `import { Worker } from 'node:worker_threads';\nimport '${SDK}';\nnew Worker(new URL('./worker.mjs', import.meta.url));\n`,
);
writeFileSync(join(dir, 'query.cpp'), CPP);
beforeAll(async () => {
  if (!everyVariant) return;
  await compile(join(dir, 'query.cpp'), join(dir, 'query'), [
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
    { language: 'python', program: 'python3', args: [join(RUNNERS, 'python_runner.py'), 'query.py'] },
    { language: 'node', program: process.execPath, args: [join(RUNNERS, 'node-runner.mjs'), 'query.mjs'] },
  ],
  [{ language: 'c++', program: join(dir, 'query'), args: [] }],
);

function answers(port: number): Promise<true | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(null));
  });
}

async function serve(program: string, args: readonly string[], env: Record<string, string>): Promise<number> {
  const port = await freePort();
  const { PATH = '' } = process.env;
  const given = { PATH, PYTHONDONTWRITEBYTECODE: '1', BOT_ID: 'bot_1', BOT_CONFIG: '{}', STATE_DIR: dir, ...env };
  startProgram(program, args, { cwd: dir, env: { ...given, QUERY_PORT: String(port) } });
  await until('the server to listen', () => answers(port));
  return port;
}

/** Status and body of the answer to a request with these headers. */
async function ask(port: number, headers: readonly string[], path = '/seen', body = ''): Promise<[number, unknown]> {
  const lines = [`POST ${path} HTTP/1.1`, ...headers, `Content-Length: ${body.length}`, 'Connection: close'];
  const heard = await say(port, `${lines.join('\r\n').replaceAll('{token}', token)}\r\n\r\n${body}`);
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1]);
  return [status, JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4))];
}

function expected(outcome: string): [number, unknown] {
  if (outcome === '200') return [200, { status: 'ok', data: ['', ''] }];
  return [Number.parseInt(outcome, 10), { status: 'error', error: vectors.errors[outcome] }];
}

describe.each(LANGUAGES)('a query server in $language', ({ program, args }) => {
  it.each(['with', 'without'] as const)('%s a token answers whom it may', async (mode) => {
    const port = await serve(program, args, mode === 'with' ? { QUERY_TOKEN: token } : {});
    const heard: Record<string, unknown> = {};
    for (const one of vectors.cases) heard[one.name] = await ask(port, one.send);
    expect(heard).toEqual(Object.fromEntries(vectors.cases.map((one) => [one.name, expected(one[mode])])));
  });

  it('tells a stranger nothing of its paths, and reads none of what he sends', async () => {
    const port = await serve(program, args, { QUERY_TOKEN: token });
    const refused = expected('401');
    for (const path of ['/health', '/info', '/none', '/%zz']) {
      expect([path, await ask(port, ['Host: 127.0.0.1'], path)]).toEqual([path, refused]);
    }
    expect(await ask(port, ['Host: 127.0.0.1'], '/seen', '{"not":"json')).toEqual(refused);
    // More than it would read of its host: the answer arrives all the same.
    expect(await ask(port, ['Host: 127.0.0.1'], '/seen', ' '.repeat(200_000))).toEqual(refused);
    expect(await ask(port, ['Host: 127.0.0.1', 'X-Query-Token: {token}'])).toEqual(expected('200'));
  });
});

describe('a thread of a Node bot that serves', () => {
  it('asks for the token, too', async () => {
    const args = [join(RUNNERS, 'node-runner.mjs'), 'thread.mjs'];
    const port = await serve(process.execPath, args, { QUERY_TOKEN: token });
    expect(await ask(port, ['Host: 127.0.0.1'])).toEqual(expected('401'));
    expect(await ask(port, ['Host: 127.0.0.1', 'X-Query-Token: {token}'])).toEqual(expected('200'));
  });
});
