import { describe, expect, it } from 'vitest';
import { BotDiagnosis } from '../../src/contract/failure.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { call, deployTiny, lineUntil, type TinyBot } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** Takes more memory than `memory_mb` below allows, so slowly that the host sees it before the kernel refuses more. */
const GREEDY = `const held = [];
setInterval(() => held.push(Buffer.alloc(8 * 1024 * 1024, 1)), 50);`;
/** Asks for more at once than the kernel gives it, so that the host never sees it used. */
const AT_ONCE = `new Uint8Array(4 * 1024 ** 3);`;
const UP = `console.log('up'); setInterval(() => {}, 1000);`;
const OPTIONS = { options: { memory_mb: 120 } };

const failureUntil = (host: TestHost, id: string, code: string) =>
  until(`${code} of the query program`, async () => {
    const { failure } = BotDiagnosis.parse(await call(host, 'GET', `/api/v1/bots/${id}/diagnosis`));
    return failure?.code === code ? failure : null;
  });

describe.concurrent('a query program that ends', () => {
  it('is said to have used too much memory, with the limit and what to do', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const bot = await deployTiny(host, { name: 'greedy', bot: UP, query: GREEDY }, OPTIONS);
    const line = await lineUntil(host, bot.bot_id, 'The query program used more memory');
    expect(line.message).toMatch(
      /^The query program used more memory than it may \(\d+ MB used, allowed are 120 MB\) and was ended; starting it again in \d+ s\. Raise options\.memory_mb, or keep less in memory\.$/,
    );
    expect(await failureUntil(host, bot.bot_id, 'OUT_OF_MEMORY')).toMatchObject({
      step: 'query',
      message: expect.stringMatching(
        /^The query program used more memory than it may \(\d+ MB used, allowed are 120 MB\)\.$/,
      ),
      evidence: expect.arrayContaining([expect.objectContaining({ source: 'host', message: line.message })]),
      next: { action: 'Raise options.memory_mb, or keep less in memory.' },
    });
  });

  it('is quoted with its last error when it ends by itself', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const query = `console.error('Error: no history yet'); process.exitCode = 3;`;
    const bot = await deployTiny(host, { name: 'unready', bot: UP, query });
    const said = await until('its line in the diagnosis', async () => {
      const failure = await failureUntil(host, bot.bot_id, 'QUERY_PROGRAM_FAILED');
      return failure.message.includes('no history yet') ? failure : null;
    });
    expect(said).toMatchObject({
      exit_code: 3,
      message:
        'The query program ended with exit code 3 instead of serving, and the last error it wrote is "Error: no history yet"; the bot itself goes on.',
    });
  });

  it('without an answer says what to do', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const failing = async (name: string, query: string, options: object): Promise<unknown> => {
      const tiny: TinyBot = { name, type: 'scheduled', bot: `console.log('done');`, query };
      const bot = await deployTiny(host, tiny, options);
      const body = JSON.stringify({ path: '/status' });
      return (await host.fetch(`/bot/${bot.bot_id}/query`, { method: 'POST', body })).json();
    };
    const error = (message: RegExp, hint: RegExp): object => ({
      error: { code: 'QUERY_FAILED', message: expect.stringMatching(message), hint: expect.stringMatching(hint) },
    });
    expect(await failing('greedy', GREEDY, OPTIONS)).toMatchObject(
      error(
        /query program used more memory than it may \(\d+ MB used, allowed are 120 MB\) and was ended without an answer$/,
        /^Raise options\.memory_mb, or keep less in memory\.$/,
      ),
    );
    // Only Linux refuses it.
    if (process.platform === 'linux') {
      expect(await failing('at-once', AT_ONCE, OPTIONS)).toMatchObject(
        error(
          /query program ran out of memory \(Array buffer allocation failed\) and ended with exit code \d+ without an answer$/,
          /^Raise options\.memory_mb, or keep less in memory\.$/,
        ),
      );
    }
    expect(await failing('silent', 'process.exit(3);', {})).toMatchObject(
      error(/ended with exit code 3 without an answer$/, /^It wrote nothing to stderr: run `platform dev --query/),
    );
    const survived = `console.error('RangeError: Array buffer allocation failed'); console.error('no history'); process.exit(3);`;
    expect(await failing('survived', survived, {})).toMatchObject(
      error(
        /program ended with exit code 3 without an answer$/,
        /^Correct what its last line on stderr names: no history(?: \(|$)/,
      ),
    );
    expect(await failing('telling', `console.error('no history yet'); process.exit(3);`, {})).toMatchObject(
      error(
        /ended with exit code 3 without an answer$/,
        /^Correct what its last line on stderr names: no history yet(?: \(|$)/,
      ),
    );
    expect(await failing('done', 'process.exit(0);', {})).toMatchObject(
      error(/ended with exit code 0 without an answer$/, /^Answer through the SDK: /),
    );
  });
});
