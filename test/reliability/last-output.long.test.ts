import { describe, expect, it, type TestContext } from 'vitest';
import type { Run } from '../../src/contract/bot.ts';
import { dockerForTests } from '../support/docker.ts';
import { logRows } from '../support/log-files.ts';
import { testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const LINES = 10_000;
/** About a megabyte, and the end in the same moment. */
const BOT = `
import { writeSync } from 'node:fs';
let text = '';
for (let n = 0; n < ${LINES}; n++) text += 'line ' + n + ' ' + 'x'.repeat(90) + '\\n';
const bytes = Buffer.from(text + 'the last words');
for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
process.kill(process.pid, 'SIGKILL');`;

async function burst(engine: string, docker: string | null, times: number, on: TestContext['onTestFinished']) {
  const host = await testHost(on, undefined, docker, { PLATFORM_RETENTION_MB: '100000', PLATFORM_RATE_LIMIT: '10000' });
  const tiny = { name: 'burst', type: 'scheduled', runtime: 'nodejs24', bot: BOT } as const;
  const { bot_id: id } = await deployTiny(host, tiny);
  for (let time = 0; time < times; time++) {
    const { run_id } = await call<Run>(host, 'POST', `/api/v1/bots/${id}/run`);
    await until(
      'its end',
      async () => (await call<Run>(host, 'GET', `/api/v1/bots/${id}/runs/${run_id}`)).ended_at !== null,
    );
  }
  const sql = `select run.name run, sum(line glob 'line *') lines, sum(line = 'the last words') last 
    from log join run on run.id = log.run where meta & 12 = 0 group by run.name`;
  const byName = new Map<string, { lines: number; last: number }>();
  for (const part of logRows<{ run: string; lines: number; last: number }>(host.dataDir, id, sql)) {
    const known = byName.get(part.run) ?? { lines: 0, last: 0 };
    byName.set(part.run, { lines: known.lines + part.lines, last: known.last + part.last });
  }
  const runs = [...byName.values()];
  const lost = times * LINES - runs.reduce((sum, run) => sum + run.lines, 0);
  const figures = {
    runs: times,
    'lines written': times * LINES,
    lost,
    'last words lost': times - runs.filter((run) => run.last === 1).length,
  };
  expect(runs.length).toBe(times);
  expect(figures).toMatchObject({ lost: 0, 'last words lost': 0 });
  await prove('R10', 'A bot prints 1 MB and ends in the same moment', { engine, ...figures }, `R10-${engine}`);
}

const found = await dockerForTests();

describe.concurrent('a bot that prints a megabyte and is killed at once', () => {
  it('has all of it in its log, as a process', ({ onTestFinished }) =>
    burst('process', null, rounds(5, 1000), onTestFinished));

  it.skipIf('reason' in found)('has all of it in its log, in a container', ({ onTestFinished }) =>
    burst('docker', 'host' in found ? found.host : null, rounds(2, 1000), onTestFinished),
  );
});
