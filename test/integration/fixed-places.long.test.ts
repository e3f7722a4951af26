import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestHost } from '../support/platform.ts';
import { call, deployTiny, lineUntil, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const ask = async (host: TestHost, id: string) => {
  const response = await host.fetch(`/bot/${id}/query`, { method: 'POST', body: '{"path":"/x"}' });
  return { status: response.status, body: await response.json() };
};

const filesOf = (dir: string): string[] => readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();

/** SDKs of other systems have places of their own, which local programs do not have. */
describe('with local processes, a bot of another system', () => {
  const host = new TestHost();
  beforeAll(async () => void (await host.start()));
  afterAll(() => host.stop());

  const WRITE = 'with open(beside + "/result.json", "w") as file:\n    json.dump(result, file)';
  const RENAME =
    'with open(beside + "/result.tmp", "w") as file:\n    json.dump(result, file)\nos.rename(beside + "/result.tmp", beside + "/result.json")';
  // The runner takes what main returns for the result of a bot that has written none.
  const IN_MAIN = (lines: string) => `def main():\n${lines.replaceAll(/^/gm, '    ')}\n    return {"returned": True}`;

  it.each([
    ['writes its result beside its code', 'write', WRITE],
    ['renames its result to a file beside its code', 'rename', RENAME],
    ['does so in a main that returns something else', 'rename-main', IN_MAIN(RENAME)],
  ])('that %s has that result, and leaves the code as it is', async (_, name, writes) => {
    const bot = `
import json, os
beside = "/" + os.environ["CODE_MOUNT_DIR"]
print("data", open(beside + "/src/bot.py").readline().strip() == "", flush=True)
result = {"status": "success", "message": "done", "data": {"n": 1}}
${writes}
`;
    const { bot_id } = await deployTiny(host, { name, type: 'scheduled', runtime: 'python311', bot });
    const catalog = join(host.dataDir, 'catalog');
    const before = filesOf(catalog);
    await call(host, 'POST', `/api/v1/bots/${bot_id}/run`);
    const run = await until('the end of the run', async () =>
      (await runsOf(host, bot_id)).find(({ ended_at }) => ended_at !== null),
    );
    expect(run).toMatchObject({
      status: 'succeeded',
      result: { status: 'success', message: 'done', data: { n: 1 } },
    });
    expect(filesOf(catalog)).toEqual(before);
  });

  it('whose query program leaves its answer elsewhere fails the query, and says where it would be answered', async () => {
    const tiny = { name: 'elsewhere', type: 'scheduled', bot: '', query: 'process.exit(0);' } as const;
    const { bot_id } = await deployTiny(host, tiny);
    expect(await ask(host, bot_id)).toMatchObject({
      status: 502,
      body: { error: { code: 'QUERY_FAILED', hint: expect.stringContaining('in a container (options.engine)') } },
    });
  });

  it.runIf(process.platform === 'linux')('that listens elsewhere fails the query, and says where', async () => {
    const bot = `import { createServer } from 'node:http';
createServer((request, response) => response.end('{}')).listen(0, '0.0.0.0', function () {
  console.log('listens on ' + this.address().port);
});`;
    const { bot_id } = await deployTiny(host, { name: 'own-port', bot });
    const { message } = await lineUntil(host, bot_id, 'listens on');
    const port = message.replace(/\D/g, '');
    const { run_id } = await call<{ run_id: string }>(host, 'GET', `/api/v1/bots/${bot_id}`);
    const meant = readFileSync(join(host.dataDir, 'bots', bot_id, 'runs', run_id, 'query.port'), 'utf8');
    expect(await ask(host, bot_id)).toMatchObject({
      status: 502,
      body: {
        error: {
          code: 'QUERY_FAILED',
          message: `The bot's program listens on 0.0.0.0:${port}, which is open to the network of this machine, and not on QUERY_PORT (127.0.0.1:${meant}), where the host sends queries`,
          details: { listening: [`0.0.0.0:${port}`] },
        },
      },
    });
  });
});
