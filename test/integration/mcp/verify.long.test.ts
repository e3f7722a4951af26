import { expect, it, type TestContext } from 'vitest';
import { makeKey } from '../../support/mcp.ts';
import { assistantOf, ERAS } from '../../support/mcp-client.ts';
import { begunTrial, connect, filesOf, isThere, TRIAL_SECRET, trialPlace } from '../../support/trial.ts';
import { until } from '../../support/until.ts';

/** Registers what runs at the end of a test. */
type Finished = TestContext['onTestFinished'];
const STAYS = 'setInterval(() => {}, 60_000);\n';

it('the code gets the settings that were given with it, and no secret', async ({ onTestFinished }) => {
  const { host } = await trialPlace(onTestFinished);
  const assistant = await connect(host, onTestFinished);
  const bot = `const seen = JSON.stringify(process.env);
throw new Error('config ' + process.env.BOT_CONFIG + ' secret ' + seen.includes('${TRIAL_SECRET}') + ' key ' + /bpk_|local_/.test(seen));`;
  const files = { files: filesOf(bot, 'scheduled'), settings: { file: 'given' }, seconds: 5 };
  const { checks } = await assistant.use('custom_bot_verify', files);
  const said = JSON.stringify(checks);
  expect(said).toContain('given');
  expect(said).toContain('secret false key false');
});

it.each(ERAS)('a trial that a client of %s gives up ends with all that it started', async (era) => {
  const finished: (() => unknown)[] = [];
  const onTestFinished = ((end: () => unknown) => finished.push(end)) as unknown as Finished;
  try {
    const { host, trials } = await trialPlace(onTestFinished);
    const key = await makeKey(host, { extended: true });
    const assistant = await assistantOf(host, key, { onTestFinished, era });
    const { pid, giveUp } = await begunTrial(assistant);
    const other = await assistant.ask('custom_bot_verify', { files: filesOf(STAYS), seconds: 1 });
    expect([other.isError, other.text]).toEqual([true, expect.stringContaining('Another trial goes on')]);
    giveUp();
    await until('the end of the program', () => !isThere(pid));
    await until('the end of its folder', () => trials().length === 0);
  } finally {
    for (const end of finished.toReversed()) await end();
  }
});

it('what a host that was killed has left of a trial is removed by the next', async ({ onTestFinished }) => {
  const { host, trials } = await trialPlace(onTestFinished);
  const { pid } = await begunTrial(await connect(host, onTestFinished));
  expect(trials().length).toBeGreaterThan(0);
  await host.kill();
  await host.start();
  expect(trials().filter((name) => name.startsWith('.trial-'))).toEqual([]);
  await until('the end of the program', () => !isThere(pid));
});
