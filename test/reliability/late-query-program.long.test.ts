import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { FaultPoint } from '../../src/node/fault-point.ts';
import { dockerForTests } from '../support/docker.ts';
import { Fault } from '../support/fault.ts';
import { programsOf, testHost } from '../support/platform.ts';
import { everyVariant } from '../support/proof.ts';
import { isUp, programsOfRun } from '../support/run-programs.ts';
import { deployTiny, getBot, storyOf, type TinyBot } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const EVERY_STEP = ['start:decided', 'start:created', 'start:known', 'start:running'] as const satisfies FaultPoint[];
const STEPS = everyVariant ? EVERY_STEP : EVERY_STEP.filter((step) => step !== 'start:created');

const TINY: TinyBot = {
  name: 'asked',
  runtime: 'nodejs24',
  bot: 'setInterval(() => {}, 1000);',
  query: 'setInterval(() => {}, 1000);',
};

/**
 * A bot's program runs before the query program beside it is started. The host dies at a step of that second start: the
 * next one keeps the bot's program, and in the end there is one query program.
 */
async function dieAt(
  point: FaultPoint,
  address: string | null,
  onTestFinished: TestContext['onTestFinished'],
): Promise<void> {
  const fault = new Fault();
  const host = await testHost(onTestFinished, undefined, address, fault.env);
  const { bot_id } = await deployTiny(host, TINY, { enabled: false });
  fault.set(point, 2);
  const start = host.fetch(`/api/v1/bots/${bot_id}/start`, { method: 'POST' }).catch(() => 'the host has died');
  await until(`the death of the host at ${point}`, () => host.isGone());
  await start;
  fault.set(null);
  const [run = ''] = readdirSync(join(host.dataDir, 'bots', bot_id, 'runs'));
  const before = await until('the bot', async () => {
    const { bot } = await programsOfRun(host, run);
    return isUp(bot) ? bot : null;
  });
  await host.start();
  expect(await getBot(host, bot_id)).toMatchObject({ status: 'running', run_id: run, restarts: 0 });
  const after = await until(
    'the query program',
    async () => {
      const programs = await programsOfRun(host, run);
      return isUp(programs.query) ? programs : null;
    },
    undefined,
    () => storyOf(host, bot_id),
  );
  expect(after.bot).toEqual(before);
  expect((await programsOf(host)).sort()).toEqual([...after.bot, ...after.query].sort());
  expect(after.query.length).toBe(address === null ? 2 : 1);
}

const found = await dockerForTests();

describe.concurrent('a host that dies while it starts the query program of a bot', () => {
  it.for(STEPS)('keeps one bot and one query program, as processes: %s', (point, { onTestFinished }) =>
    dieAt(point, null, onTestFinished),
  );

  it.skipIf('reason' in found).for(STEPS)('keeps one bot and one query program, in containers: %s', (point, context) =>
    dieAt(point, 'host' in found ? found.host : null, context.onTestFinished),
  );
});
