import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkGuard } from '../../../src/cli/sdk-verify/query-server.ts';
import { freePort, startProgram } from '../../support/child-program.ts';
import { ROOT } from '../../support/platform.ts';
import { variants } from '../../support/proof.ts';
import { say } from '../../support/query-server.ts';
import { built, CPP_ADAPTER, NODE_ADAPTER, PYTHON_ADAPTER, RESOURCES } from '../../support/sdk-adapters.ts';
import { tempDir } from '../../support/temp.ts';
import { until } from '../../support/until.ts';

const { token, errors }: { readonly token: string; readonly errors: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(RESOURCES, 'sdk/vectors/query-guard.json'), 'utf8'),
);

describe.each(variants([PYTHON_ADAPTER, NODE_ADAPTER], [CPP_ADAPTER]))('a query server in $language', (sdk) => {
  it('answers whom it may, with a token and without one', async () => {
    const found = await checkGuard(await built(sdk), RESOURCES, () => tempDir('query-guard-'));
    expect(found).toEqual([
      ['without a token', null],
      ['with a token', null],
    ]);
  });
});

/** A thread that serves, started after the SDK has taken the token out of the environment. */
const dir = tempDir('query-thread-');
const SDK = pathToFileURL(join(RESOURCES, 'sdk/node/index.mjs')).href;
writeFileSync(
  join(dir, 'worker.mjs'),
  `import { query } from '${SDK}';\nquery.handler('/seen', () => process.env.QUERY_TOKEN ?? '');\nquery.run();\n`,
);
writeFileSync(
  join(dir, 'thread.mjs'),
  `import { Worker } from 'node:worker_threads';\nimport '${SDK}';\nnew Worker(new URL('./worker.mjs', import.meta.url));\n`,
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

describe('a thread of a Node bot that serves', () => {
  it('asks for the token, too', async () => {
    const port = await freePort();
    const { PATH = '' } = process.env;
    const given = { PATH, BOT_ID: 'bot_1', BOT_CONFIG: '{}', STATE_DIR: dir };
    const args = [join(ROOT, 'resources/runners/node-runner.mjs'), 'thread.mjs'];
    const env = { ...given, QUERY_TOKEN: token, QUERY_PORT: String(port) };
    startProgram(process.execPath, args, { cwd: dir, env });
    await until('the server to listen', () => answers(port));
    const ask = async (header: string) => {
      const lines = ['POST /seen HTTP/1.1', 'Host: 127.0.0.1', ...(header === '' ? [] : [header])];
      const heard = await say(port, `${lines.join('\r\n')}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4));
    };
    expect(await ask('')).toEqual({ status: 'error', error: errors['401'] });
    expect(await ask(`X-Query-Token: ${token}`)).toEqual({ status: 'ok', data: '' });
  });
});
