import { describe, expect, it } from 'vitest';
import { BotDiagnosis, type Failure } from '../../src/contract/failure.ts';
import { type LogPage, LogSummary } from '../../src/contract/telemetry.ts';
import { sharedHost, type TestHost } from '../support/platform.ts';
import { botUntil, call, deployTiny, lineUntil, publish, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const diagnosisOf = async (host: TestHost, id: string, query = ''): Promise<BotDiagnosis> =>
  BotDiagnosis.parse(await call(host, 'GET', `/api/v1/bots/${id}/diagnosis${query}`));

const failureUntil = (host: TestHost, id: string, what: string, check: (failure: Failure) => boolean) =>
  until(what, async () => {
    const { failure } = await diagnosisOf(host, id);
    return failure !== null && check(failure) ? failure : null;
  });

const DIVIDES = `
export async function main(id, config) {
  console.log('trading with ' + config.lots + ' lots');
  if (config.lots === 0) {
    throw new RangeError('lots must be positive, got ' + config.lots);
  }
  await new Promise(() => setInterval(() => {}, 1000));
}
`;
const SCHEMA = {
  type: 'object',
  properties: {
    lots: { type: 'integer', default: 3 },
    api_key: { type: 'string', secret: true },
  },
};

const shared = sharedHost();

describe.concurrent('diagnosis', () => {
  it('is null for a bot that is well, on every surface', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, {
      name: 'well',
      bot: `console.log('HTTP error 429, retrying'); setInterval(() => {}, 1000);`,
    });
    await lineUntil(host, bot.bot_id, 'HTTP error 429');
    expect(await diagnosisOf(host, bot.bot_id)).toEqual({ bot_id: bot.bot_id, status: 'running', failure: null });
    const summary = LogSummary.parse(await call(host, 'GET', `/api/v1/bots/${bot.bot_id}/logs/summary`));
    expect(summary.failure).toBeNull();
    expect((await host.cli('bot', 'diagnose', 'well')).stdout).toBe('well: nothing is wrong.\n');
    expect((await host.cli('bot', 'get', 'well')).stdout).not.toContain('what to do');
  });

  it('names the crash, its lines and the change of config that came before it', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const secret = 'first-secret-value-1';
    const bot = await deployTiny(
      host,
      { name: 'divides', bot: DIVIDES, schema: SCHEMA },
      { config: { lots: 3, api_key: secret } },
    );
    await lineUntil(host, bot.bot_id, 'trading with 3 lots');
    const config = { lots: 0, api_key: 'second-secret-value-2' };
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { config });
    const failure = await failureUntil(host, bot.bot_id, 'the crash', ({ repeats }) => repeats === 1);
    const worked = (await runsOf(host, bot.bot_id)).at(-1);
    expect(failure).toMatchObject({
      code: 'NODE_EXCEPTION',
      step: 'run',
      message: 'The bot ended with RangeError in src/bot.mjs:5: lots must be positive, got 0.',
      exit_code: 1,
      signal: null,
      cause: null,
      changes: [{ what: 'config', message: 'Config: lots 3 → 0, api_key changed' }],
      last_worked_at: worked?.ended_at,
    });
    expect(failure.evidence.map(({ message }) => message)).toContain('RangeError: lots must be positive, got 0');
    expect(failure.evidence.every(({ source }) => source === 'stderr')).toBe(true);
    expect(failure.next.commands).toContain(`platform bot update ${bot.bot_id} --version <version>`);
    expect(JSON.stringify(failure)).not.toMatch(/secret-value/);

    const summary = LogSummary.parse(await call(host, 'GET', `/api/v1/bots/${bot.bot_id}/logs/summary`));
    expect(summary.failure).not.toBeNull();
    const one = await diagnosisOf(host, bot.bot_id, `?run_id=${failure.run_id}`);
    expect(one.failure).toEqual(failure);
    expect((await diagnosisOf(host, bot.bot_id, `?run_id=${worked?.run_id}`)).failure).toBeNull();
    expect((await host.fetch(`/api/v1/bots/${bot.bot_id}/diagnosis?run_id=run_of_nobody`)).status).toBe(404);

    const shown = await host.cli('bot', 'diagnose', 'divides');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    for (const text of ['RangeError', 'src/bot.mjs:5', 'What changed', 'lots 3 → 0', 'What to do', 'custom-bot deploy'])
      expect(shown.stdout).toContain(text);
    const got = await host.cli('bot', 'get', 'divides');
    expect(got.stdout).toMatch(/failure +(?:NODE_EXCEPTION|CRASH_LOOP): .*RangeError/);
    expect(got.stdout).toMatch(/what to do +Correct src\/bot\.mjs:5/);
    expect((await host.cli('bot', 'events', 'divides')).stdout).toContain('lots 3 → 0');

    // Changed back, it is well again at once: the crash is history, and can still be asked about.
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { config: { lots: 4, api_key: secret } });
    await botUntil(host, bot.bot_id, 'running again', (now) => now.status === 'running');
    expect((await diagnosisOf(host, bot.bot_id)).failure).toBeNull();
    expect((await diagnosisOf(host, bot.bot_id, `?run_id=${failure.run_id}`)).failure).toEqual(failure);
  });

  it('stores a traceback as one entry of level error, which opens to all of its lines', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, {
      name: 'traces',
      runtime: 'python311',
      bot: 'def trade():\n    raise ValueError("no price of AAPL")\n\ndef main(bot_id, config):\n    trade()\n',
    });
    await failureUntil(
      host,
      bot.bot_id,
      'the crash',
      ({ code }) => code === 'PYTHON_EXCEPTION' || code === 'CRASH_LOOP',
    );
    const { entries } = await call<LogPage>(host, 'GET', `/api/v1/bots/${bot.bot_id}/logs?level=error&limit=500`);
    const [trace] = entries.filter(({ source, message }) => source === 'stderr' && message.includes('ValueError'));
    expect(trace?.message).toMatch(
      /^Traceback \(most recent call last\):\n[\s\S]*in trade\n[\s\S]*\nValueError: no price of AAPL$/,
    );
    const run = entries.filter(({ run_id }) => run_id === trace?.run_id);
    expect(run.map(({ source }) => source)).toEqual(['stderr', 'host']);
    const { stdout } = await host.cli('bot', 'logs', 'traces', '--level', 'error');
    expect(stdout).toContain('\n    ValueError: no price of AAPL\n');
  });

  it('calls many failures in a row a crash loop and keeps the reason of the last', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'loops', bot: `import 'ccxt-of-nobody';` });
    const failure = await failureUntil(host, bot.bot_id, 'a crash loop', ({ code }) => code === 'CRASH_LOOP');
    expect(failure).toMatchObject({
      step: 'start',
      cause: { code: 'NODE_MODULE_MISSING', message: expect.stringContaining('ccxt-of-nobody') },
      message: expect.stringMatching(/^Failed [3-9] times in a row\. The last time: .*ccxt-of-nobody/),
      last_worked_at: null,
      changes: [],
    });
    expect(failure.repeats).toBeGreaterThanOrEqual(3);
  });

  it('follows a scheduled bot from run to run', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const tiny = { name: 'daily', type: 'scheduled' as const };
    const bot = await deployTiny(host, { ...tiny, bot: `console.log('done');` });
    const runNow = async (count: number): Promise<void> => {
      await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/run`);
      await until('the run to end', async () => {
        const runs = await runsOf(host, bot.bot_id);
        return runs.length === count && runs.every(({ ended_at }) => ended_at !== null);
      });
    };
    await runNow(1);
    expect((await diagnosisOf(host, bot.bot_id)).failure).toBeNull();
    const next = await publish(host, { ...tiny, version: '1.1.0', bot: `process.exit(7);` });
    expect(next.status).toBe(201);
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { version: '1.1.0' });
    await runNow(2);
    // The host's line about the end is written behind the end itself.
    const failure = await failureUntil(host, bot.bot_id, 'its line', ({ evidence }) => evidence.length > 0);
    expect(failure).toMatchObject({
      code: 'ENDED_AT_ONCE',
      exit_code: 7,
      repeats: 1,
      changes: [{ what: 'version', message: 'Version 1.0.0 → 1.1.0' }],
    });
    expect(failure.evidence.map(({ source }) => source)).toEqual(['host']);
  });

  it('tells of a query program that fails beside a bot that works', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, {
      name: 'unasked',
      bot: `console.log('up'); setInterval(() => {}, 1000);`,
      query: `import http from 'node:http';\nthrow new TypeError('no handlers');`,
    });
    // The host sees the end before the last lines of the program are in the log.
    const inLog = ({ evidence }: Failure): boolean => evidence.some(({ source }) => source === 'query');
    const failure = await failureUntil(host, bot.bot_id, 'the query program', inLog);
    expect(failure).toMatchObject({
      code: 'NODE_EXCEPTION',
      step: 'query',
      message: expect.stringMatching(/src\/query\.mjs:2: no handlers/),
    });
    expect(failure.evidence.every(({ source }) => source === 'query')).toBe(true);
  });

  it("is as unknown as the bot for somebody else's, and needs a key", async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const missing = await host.fetch('/api/v1/bots/bot_of_nobody/diagnosis');
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { message: 'Bot not found' } }]);
    expect((await fetch(`${host.url}/api/v1/bots/bot_of_nobody/diagnosis`)).status).toBe(401);
  });
});
