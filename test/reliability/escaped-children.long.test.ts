import { describe, expect, it, type TestContext } from 'vitest';
import { dockerForTests } from '../support/docker.ts';
import { programsOf, testHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { call, deployTiny, lineUntil, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/**
 * Ends when it is asked to, and leaves: one that left session and parent, one that does not listen, and a parent that never
 * asks for the end of its child. How the engines find such processes is shown in test/integration/process-engine.test.ts.
 */
const BOT = `
import { spawn } from 'node:child_process';
const quiet = { stdio: 'ignore' };
spawn('sh', ['-c', '(trap "" TERM HUP; exec sleep 3600) & exit 0'], { ...quiet, detached: true });
spawn('sh', ['-c', 'trap "" TERM; exec sleep 3600'], quiet);
spawn('sh', ['-c', 'sleep 0 & exec sleep 3600'], quiet);
console.log('up');
setInterval(() => {}, 1000);`;
/** The program itself and its three children; a process has a start wrapper of ours beside them. */
const MEMBERS = 4;

async function family(engine: string, docker: string | null, onTestFinished: TestContext['onTestFinished']) {
  const host = await testHost(onTestFinished, undefined, docker);
  const { bot_id: id } = await deployTiny(host, { name: 'family', runtime: 'nodejs24', bot: BOT });
  await lineUntil(host, id, 'up');
  const before = await until('the whole family', async () => {
    const found = await programsOf(host);
    return found.length >= MEMBERS ? found.length : null;
  });
  await call(host, 'POST', `/api/v1/bots/${id}/stop`);
  await until('the end of the run', async () => (await runsOf(host, id))[0]?.ended_at !== null);
  const left = (await programsOf(host)).length;
  const figures = { engine, 'processes before': before, left };
  expect(left).toBe(0);
  await prove('R12', 'Children that leave the session, do not listen or are not waited for', figures, `R12-${engine}`);
}

const found = await dockerForTests();

describe.concurrent('a bot that is stopped leaves no process', () => {
  it.runIf(process.platform === 'linux')('of its own', ({ onTestFinished }) => family('process', null, onTestFinished));

  it.skipIf('reason' in found)('in its container', ({ onTestFinished }) =>
    family('docker', 'host' in found ? found.host : null, onTestFinished),
  );
});
