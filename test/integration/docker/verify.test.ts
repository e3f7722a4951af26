import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dockerAt } from '../../../scripts/test-images.ts';
import { dockerForTests } from '../../support/docker.ts';
import { makeKey } from '../../support/mcp.ts';
import { assistantOf, type Data } from '../../support/mcp-client.ts';
import { testHost } from '../../support/platform.ts';
import { call, publish } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const engine = await dockerForTests();
const docker = 'host' in engine ? dockerAt(engine.host) : null;
const address = 'host' in engine ? engine.host : '';

/** The roles of a trial's containers, by the folder that they mount. */
async function containersOf(folder: string): Promise<string[]> {
  const all = (await docker?.listContainers({ all: true })) ?? [];
  return all
    .filter(({ Mounts }) => JSON.stringify(Mounts).includes(folder))
    .map(({ Labels }) => String(Labels['bot-platform.run']));
}

describe.skipIf(docker === null)('a trial on a host that demands containers', () => {
  it('runs in a container, and leaves none', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished, undefined, address);
    const assistant = await assistantOf(host, await makeKey(host, { extended: true }), { onTestFinished });
    const seen = `import { existsSync } from 'node:fs';
import { log, parse } from '@bot-platform/sdk';
parse();
if (existsSync(${JSON.stringify(join(host.dataDir, 'host.json'))})) throw new Error('the host is in sight');
log('contained');
setInterval(() => {}, 60_000);`;
    const query = `import { query } from '@bot-platform/sdk';
query.handler('/status', () => ({ fine: true }));
query.run();`;
    const published = await publish(host, { name: 'contained', runtime: 'nodejs24', bot: seen, query });
    expect(published.status).toBe(201);
    const report = await assistant.use('custom_bot_verify', { name: 'contained', seconds: 2 });
    expect(report).toMatchObject({ engine: 'docker' });
    const levels = Object.fromEntries(report.checks.map(({ check, level }: Data) => [check, level]));
    expect(levels, JSON.stringify(report)).toMatchObject({
      starts: 'ok',
      stays_alive: 'ok',
      query_reads: 'spare',
      stops: 'ok',
    });
    expect(report.faults).toBe(0);
    expect(await containersOf(host.dataDir)).toEqual([]);

    const input = { name: 'contained', seconds: 30 };
    // In the middle of the look into its image, and in the middle of its run.
    for (const what of ['image-check', 'run_']) {
      const given = new AbortController();
      const options = { signal: given.signal, onprogress: () => undefined };
      assistant.ask('custom_bot_verify', input, options).catch(() => undefined);
      await until(`a container of a trial: ${what}`, async () =>
        (await containersOf(host.dataDir)).some((run) => run.startsWith(what)),
      );
      given.abort();
      await until('the end of its containers', async () => (await containersOf(host.dataDir)).length === 0);
      await until('the end of the trial', () => readdirSync(host.dataDir).every((name) => !name.startsWith('.trial-')));
    }
    expect(await call(host, 'GET', '/api/v1/bots')).toEqual({ items: [] });
  });
});
