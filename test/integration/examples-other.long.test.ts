import { describe, expect, it } from 'vitest';
import { listPackageFiles } from '../../src/packaging/project-files.ts';
import { type Instance, newInstance, sharedProject } from '../support/example-bots.ts';
import { type ScriptedFeed, scriptedFeed } from '../support/scripted-feed.ts';

/** Shorter than the schema allows: the schema guards deployments, the bot itself takes any interval. */
const QUICK = { update_interval_ms: 5 };

describe('the portfolio tracker', () => {
  const setup = sharedProject('examples/python-portfolio-tracker');
  const holdings = { AAPL: 2, MSFT: 0.5 };

  async function valuation(instance: Instance, feed: ScriptedFeed, prices: (number | null)[][]) {
    await using bot = instance.start({ holdings, history_size: 2, base_url: feed.url });
    for (const closes of prices) await feed.answer({ closes });
    return { exitCode: await bot.exited, metrics: bot.metrics, result: await instance.result() };
  }

  it('values the holdings at the newest known closes and keeps a bounded history', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    expect(await valuation(instance, feed, [[90, 100.126, null], [50]])).toEqual({
      exitCode: 0,
      metrics: [
        { type: 'position', data: { symbol: 'AAPL', quantity: 2, price: 100.13, value: 200.25, currency: 'USD' } },
        { type: 'position', data: { symbol: 'MSFT', quantity: 0.5, price: 50, value: 25, currency: 'USD' } },
        { type: 'equity', data: { value: 225.25, currency: 'USD' } },
      ],
      result: { status: 'success', message: 'Portfolio value 225.25 USD, +0.000 % since the last run' },
    });
    const second = await valuation(instance, feed, [[110], [60, null]]);
    expect(second.metrics.at(-1)?.data).toEqual({ value: 250, currency: 'USD' });
    expect(second.result).toMatchObject({ message: 'Portfolio value 250.00 USD, +10.988 % since the last run' });
    await valuation(instance, feed, [[1000], [1000]]);
    expect(feed.requests[0]).toBe('/v8/finance/chart/AAPL?interval=1d&range=5d');
    expect(await instance.state('portfolio_history')).toMatchObject([{ value: 250 }, { value: 2500 }]);

    const { data } = (await instance.ask('/summary')).envelope;
    expect(data).toMatchObject({
      value: 2500,
      change: 2250,
      change_pct: 900,
      highest: 2500,
      lowest: 250,
      valuations: 2,
    });
    expect(data?.positions).toEqual([
      { symbol: 'AAPL', quantity: 2, price: 1000, value: 2000 },
      { symbol: 'MSFT', quantity: 0.5, price: 1000, value: 500 },
    ]);
    expect((await instance.ask('/history', { limit: '1' })).envelope.data).toMatchObject({
      history: [{ value: 2500 }],
      total: 2,
    });
    expect((await instance.ask('/history')).envelope.data).toMatchObject({
      history: [{ value: 2500 }, { value: 250 }],
    });
    expect((await instance.ask('/history', { limit: 'all' })).envelope.status).toBe('error');
  });

  it('reports an error and leaves the history alone when one price is missing', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    expect(await valuation(instance, feed, [[100], [null, null]])).toEqual({
      exitCode: 1,
      metrics: [],
      result: { status: 'error', message: expect.stringContaining('No price for MSFT') },
    });
    expect(await instance.state('portfolio_history')).toBeUndefined();
    expect((await instance.ask('/summary')).envelope).toMatchObject({
      status: 'ok',
      data: { value: null, positions: [] },
    });
  });
});

describe('the price alerts bot', () => {
  const setup = sharedProject('examples/node-price-alerts');

  it('alerts once per passing, survives failures and restarts, and answers /alerts', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    const thresholds = { AAPL: { above: 110, below: 90 }, MSFT: { below: 50 } };
    const config = { thresholds, ...QUICK, base_url: feed.url };
    await using bot = instance.start(config);
    const rounds: [number, number | undefined][] = [
      [100, 60],
      [110.004, undefined],
      [111, 49],
      [112, 48],
      [89, 55],
    ];
    for (const [apple, microsoft] of rounds) {
      await feed.answer({ closes: [1, apple, null] });
      await feed.answer(microsoft === undefined ? { status: 404, text: '' } : { closes: [microsoft] });
    }
    await feed.arrived();
    expect(bot.of('alert')).toEqual([
      { symbol: 'AAPL', type: 'ABOVE', price: 111, threshold: 110, reason: 'AAPL is above 110 at 111' },
      { symbol: 'MSFT', type: 'BELOW', price: 49, threshold: 50, reason: 'MSFT is below 50 at 49' },
      { symbol: 'AAPL', type: 'BELOW', price: 89, threshold: 90, reason: 'AAPL is below 90 at 89' },
    ]);
    expect(bot.of('price').length).toBe(9);
    expect(bot.lines('No price for MSFT: the price source answered 404').length).toBe(1);
    expect(await bot.stop()).toBe(0);

    await using again = instance.start(config);
    for (const close of [88, 49]) await feed.answer({ closes: [close] });
    await feed.arrived();
    expect(again.of('alert')).toMatchObject([{ symbol: 'MSFT', price: 49 }]);
    await again.stop();
    expect((await instance.ask('/alerts', { limit: '2' })).envelope.data).toMatchObject({
      alerts: [
        { symbol: 'MSFT', type: 'BELOW' },
        { symbol: 'AAPL', type: 'BELOW', price: 89 },
      ],
      total: 4,
      now: [
        { symbol: 'AAPL', price: 88, beyond: ['below'] },
        { symbol: 'MSFT', price: 49, beyond: ['below'] },
      ],
    });
    expect((await instance.ask('/alerts', { limit: '0' })).envelope.status).toBe('error');
  });
});

describe.each(['python', 'node', 'typescript', 'cpp'])('the %s template', (template) => {
  const setup = sharedProject(`templates/${template}`, 'my-first-bot');

  it('is a bot that runs, remembers, answers and ends', async () => {
    await using instance = await newInstance(setup.project);
    const config = { symbol: 'MSFT', interval_ms: 5 };
    expect((await instance.ask('/status')).envelope.data).toEqual({
      name: 'my-first-bot',
      rounds: 0,
      updated_at: null,
    });
    await using bot = instance.start(config);
    await bot.until('three rounds', () => bot.of('round').length >= 3);
    expect(bot.of('round').slice(0, 2)).toEqual([
      { symbol: 'MSFT', rounds: 1 },
      { symbol: 'MSFT', rounds: 2 },
    ]);
    expect(await bot.stop()).toBe(0);
    expect(bot.lines('(my-first-bot) starts with MSFT').length).toBe(1);
    const { data } = (await instance.ask('/status')).envelope;
    expect(data?.rounds).toBeGreaterThanOrEqual(2);
  });

  it('packages its programs and its four files, without the instance and what the programs were built from', async () => {
    const { dir, entrypoints } = setup.project;
    const files = (await listPackageFiles(dir))
      .map((file) => file.path)
      .filter((path) => !/^(vendor|node_modules)\//.test(path));
    const wanted = [
      '.platformignore',
      'README.md',
      'bot-config.yaml',
      'bot-schema.json',
      entrypoints.bot,
      entrypoints.query,
    ];
    expect(files.sort()).toEqual(wanted.sort());
  });
});
