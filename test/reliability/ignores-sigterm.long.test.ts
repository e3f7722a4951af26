import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { BotDiagnosis } from '../../src/contract/failure.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import { dockerForTests } from '../support/docker.ts';
import { programsOf, testHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { call, deployTiny, eraseBot, lineUntil, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const BOT = `
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => console.log('not listening'));
console.log('up');
setInterval(() => {}, 1000);`;

async function stubborn(engine: string, docker: string | null, onTestFinished: TestContext['onTestFinished']) {
  const host = await testHost(onTestFinished, undefined, docker);
  const tiny = { name: 'stubborn', runtime: 'nodejs24', bot: BOT };
  const { bot_id: id } = await deployTiny(host, tiny);
  await lineUntil(host, id, 'up');
  const from = performance.now();
  await call(host, 'POST', `/api/v1/bots/${id}/stop`);
  await lineUntil(host, id, 'not listening');
  const run = await until('the end of the run', async () =>
    (await runsOf(host, id)).find((one) => one.ended_at !== null),
  );
  const graceMs = Math.round(performance.now() - from);
  expect(run).toMatchObject({ status: 'stopped', signal: 'SIGKILL' });
  const { failure } = await call<BotDiagnosis>(host, 'GET', `/api/v1/bots/${id}/diagnosis?run_id=${run.run_id}`);
  expect(failure).toMatchObject({ code: 'DID_NOT_STOP' });
  expect(graceMs).toBeGreaterThan(LIMITS.stopGraceMs - 1000);
  expect(await programsOf(host)).toEqual([]);
  // Nothing is left of it.
  await eraseBot(host, id);
  expect(existsSync(join(host.dataDir, 'bots', id))).toBe(false);
  const figures = { engine, 'killed after (ms)': graceMs, 'programs left': 0 };
  await prove('R13', 'A bot that ignores SIGTERM is stopped', figures, `R13-${engine}`);
}

const found = await dockerForTests();

describe.concurrent('a bot that ignores SIGTERM is killed after its grace, and that is said', () => {
  it('as a process', ({ onTestFinished }) => stubborn('process', null, onTestFinished));

  it.skipIf('reason' in found)('in a container', ({ onTestFinished }) =>
    stubborn('docker', 'host' in found ? found.host : null, onTestFinished),
  );
});
