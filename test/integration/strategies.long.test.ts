import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../src/contract/ledger.ts';
import type { Template } from '../../src/contract/project.ts';
import { FEED_DAY_MS } from '../../src/main/host/feed/wave.ts';
import { createProject } from '../../src/project/create-project.ts';
import { type Instance, newInstance, type RunningBot, sharedProject } from '../support/example-bots.ts';
import { jsonFile, ROOT, sharedHost, type TestHost } from '../support/platform.ts';
import { variants } from '../support/proof.ts';
import { type ScriptedFeed, scriptedFeed } from '../support/scripted-feed.ts';
import { tempDir } from '../support/temp.ts';
import { runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const RESOURCES = join(ROOT, 'resources');
/** Shorter than the schema allows: the schema guards deployments, the bots themselves take any interval. */
const QUICK = { update_interval_ms: 5 };
const LANGUAGES = variants(['python'], ['node']);

const rowsOf = (bot: RunningBot) => bot.metrics.filter(({ type }) => type === 'order' || type === 'fill');
const fillsOf = (bot: RunningBot) =>
  bot.of('fill').map(({ side, quantity, symbol, price }) => [side, quantity, symbol, price]);

/** Prices of one symbol, one a look, until the bot has done with all of them. */
async function looks(instance: Instance, feed: ScriptedFeed, config: object, prices: readonly number[]) {
  await using bot = instance.start({ symbol: 'AAPL', ...QUICK, base_url: feed.url, ...config });
  for (const close of prices) await feed.answer({ closes: [close] });
  await feed.arrived();
  await bot.stop();
  return bot;
}

/** One run of a scheduled bot; prices in the order in which it asks for its symbols. */
async function run(instance: Instance, feed: ScriptedFeed, config: object, prices: readonly number[]) {
  await using bot = instance.start({ base_url: feed.url, ...config });
  for (const close of prices) await feed.answer({ closes: [close] });
  const code = await bot.exited;
  return { bot, code, message: String((await instance.result()).message) };
}

/** The state of a bot that stored what it decided, and was killed before it printed the rows. */
async function killBeforePrinting(instance: Instance, rows: readonly unknown[][]): Promise<void> {
  const saved = await instance.state('bot_state');
  const memory = saved?.AAPL as { paper: object };
  await instance.putState('bot_state', { AAPL: { ...memory, paper: { ...memory.paper, rows } } });
}

describe.each(LANGUAGES)('strategies in %s', (language) => {
  const project = (strategy: string) => sharedProject(`templates/${language}-${strategy}`, 'my-strategy');
  const grid = project('grid');
  const dca = project('dca');
  const alert = project('price-alert');
  const rebalancer = project('rebalancer');

  it('a grid buys at each step down and sells one step up, to the last digit, and a restart changes nothing', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(grid.project);
    const config = { step_percent: 0.5, levels: 4, order_value: 500, fee_percent: 0.1 };
    const down = await looks(instance, feed, config, [100, 99.4, 99.4, 98.9]);
    // 500 / (99.4 * 1.001), cut off; the fee is a thousandth of the amount.
    expect(fillsOf(down)).toEqual([
      ['BUY', '5.025155', 'AAPL', '99.4'],
      ['BUY', '5.050561', 'AAPL', '98.9'],
    ]);
    const up = await looks(instance, feed, config, [98.9, 99.6, 100.2, 100.2]);
    expect(fillsOf(up)).toEqual([
      ['SELL', '5.050561', 'AAPL', '99.6'],
      ['SELL', '5.025155', 'AAPL', '100.2'],
    ]);
    expect(up.of('equity').map(({ value }) => value)).toEqual([9_996.49, 10_003.04, 10_005.55, 10_005.55]);
    expect((await instance.state('bot_state'))?.AAPL).toMatchObject({
      paper: { cash: '10005.5499594', held: { AAPL: '0' }, rows: [] },
    });
    const decisions = [...down.of('order'), ...up.of('order')].map((order) => order.decision_id);
    expect(new Set(decisions).size).toBe(4);
    expect((await instance.ask('/status')).envelope.data).toMatchObject({ symbol: 'AAPL', cash: '10005.5499594' });

    // A level that has sold buys again, in a round of its own.
    const again = await looks(instance, feed, config, [99.4]);
    expect(again.of('fill')).toMatchObject([{ side: 'BUY', fill_id: expect.stringMatching(/-1-1-BUY-1$/) }]);
    const refused = instance.start({ ...config, fee_percent: 0.25, base_url: feed.url });
    expect(await refused.exited).toBe(1);
  });

  it('a grid that was killed between storing and printing prints the same rows, and buys once', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(grid.project);
    const bought = await looks(instance, feed, {}, [100, 99.4]);
    expect(rowsOf(bought)).toHaveLength(3);
    await killBeforePrinting(
      instance,
      rowsOf(bought).map(({ type, data }) => [type, data]),
    );
    const again = await looks(instance, feed, {}, [99.4, 99.4]);
    expect(rowsOf(again)).toEqual(rowsOf(bought));
  });

  it('the regular buyer buys once in a period, also when its run is repeated or was killed', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(dca.project);
    const config = { symbol: 'AAPL', amount: 100, every: 'month' };
    const first = await run(instance, feed, config, [100.1]);
    expect(fillsOf(first.bot)).toEqual([['BUY', '0.998002', 'AAPL', '100.1']]);
    expect([first.code, first.message]).toEqual([
      0,
      expect.stringMatching(/^Bought 0\.998002 AAPL at 100\.1 USD for \d{4}-\d\d$/),
    ]);

    const second = await run(instance, feed, config, [90]);
    expect([second.code, rowsOf(second.bot)]).toEqual([0, []]);
    expect(second.message).toContain('was bought before; nothing was traded');
    await killBeforePrinting(
      instance,
      rowsOf(first.bot).map(({ type, data }) => [type, data]),
    );
    const third = await run(instance, feed, config, [80]);
    expect(rowsOf(third.bot)).toEqual(rowsOf(first.bot));
    expect((await instance.ask('/status', {}, config)).envelope.data).toMatchObject({ quantity: '0.998002' });

    // Other periods are other decisions.
    expect(fillsOf((await run(instance, feed, { ...config, every: 'hour' }, [100])).bot)).toHaveLength(1);
    const poor = await run(instance, feed, { ...config, amount: 20_000, every: 'week' }, []);
    expect([poor.code, poor.message]).toEqual([1, expect.stringContaining('of paper money are left')]);
    const blind = instance.start({ ...config, every: 'day', base_url: feed.url });
    await feed.answer({ status: 503, text: '' });
    expect([await blind.exited, rowsOf(blind)]).toEqual([1, []]);
  });

  it('the rebalancer sells what is too much, then buys what is missing, and leaves a portfolio in balance alone', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(rebalancer.project);
    const config = { targets: { AAPL: 50, MSFT: 30 } };
    const first = await run(instance, feed, config, [100, 50.05]);
    expect(fillsOf(first.bot)).toEqual([
      ['BUY', '59.880179', 'MSFT', '50.05'],
      ['BUY', '49.950049', 'AAPL', '100'],
    ]);
    const second = await run(instance, feed, config, [100, 50.05]);
    expect([second.message, rowsOf(second.bot)]).toEqual([
      'Portfolio value 9992.01 USD: in balance, nothing was traded',
      [],
    ]);
    const third = await run(instance, feed, config, [120, 50.05]);
    expect(fillsOf(third.bot)).toEqual([
      ['SELL', '4.154178', 'AAPL', '120'],
      ['BUY', '5.994', 'MSFT', '50.05'],
    ]);
    const without = await run(instance, feed, { targets: { MSFT: 30 } }, [120, 50.05]);
    expect(fillsOf(without.bot)).toEqual([['SELL', '45.795871', 'AAPL', '120']]);
    const wrong = await run(instance, feed, { targets: { AAPL: 60, MSFT: 40.5 } }, []);
    expect([wrong.code, wrong.message]).toEqual([1, 'The targets are 100.5 % together; at most 100 % can be held']);
  });

  it('the price alert tells once per passing, and again only after the price came back', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(alert.project);
    const config = { above: 101, below: 99.5, move_percent: 2, rearm_percent: 0.2 };
    const bot = await looks(instance, feed, config, [100, 101.5, 100.9, 101.5, 99, 100.5]);
    expect(bot.of('alert').map(({ type, price, reason }) => [type, price, reason])).toEqual([
      ['ABOVE', 101.5, 'AAPL is above 101 at 101.5'],
      ['BELOW', 99, 'AAPL is below 99.5 at 99'],
    ]);
    const later = await looks(instance, feed, config, [101.2, 102.5]);
    expect(later.of('alert').map(({ type, reason }) => [type, reason])).toEqual([
      ['ABOVE', 'AAPL is above 101 at 101.2'],
      ['MOVE', 'AAPL moved by +2.50 % to 102.5'],
    ]);
    const saved = await instance.state('bot_state');
    const [told] = later.of('alert');
    await instance.putState('bot_state', { AAPL: { ...(saved?.AAPL as object), waiting: [told] } });
    expect((await looks(instance, feed, config, [102.5])).of('alert')).toEqual([told]);
  });
});

it('names hours, days, weeks and months of UTC the same in both languages', async () => {
  const moments = [
    ['2025-12-29T00:00:00.000Z', '2025-12-29T00', '2025-12-29', '2026-W01', '2025-12'],
    ['2026-01-01T23:59:59.999Z', '2026-01-01T23', '2026-01-01', '2026-W01', '2026-01'],
    ['2026-12-31T12:30:00.000Z', '2026-12-31T12', '2026-12-31', '2026-W53', '2026-12'],
    ['2027-01-03T23:00:00.000Z', '2027-01-03T23', '2027-01-03', '2026-W53', '2027-01'],
    ['2027-01-04T00:00:00.000Z', '2027-01-04T00', '2027-01-04', '2027-W01', '2027-01'],
  ];
  const every = ['hour', 'day', 'week', 'month'];
  const { periodOf } = await import(join(RESOURCES, 'templates/node-dca/periods.mjs'));
  for (const [at = '', ...periods] of moments) {
    expect(every.map((one) => periodOf(one, new Date(at)))).toEqual(periods);
  }
  const program = `import json, sys
from datetime import datetime
from periods import period_of
moments = json.loads(sys.argv[1])
print(json.dumps([[period_of(one, datetime.fromisoformat(at)) for one in ${JSON.stringify(every)}] for at in moments]))`;
  const args = ['-B', '-c', program, JSON.stringify(moments.map(([at]) => at))];
  const printed = execFileSync('python3', args, { cwd: join(RESOURCES, 'templates/python-dca'), encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual(moments.map(([, ...periods]) => periods));
});

it('the samples have the paper account of the strategies, byte for byte', () => {
  const hash = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(RESOURCES, file)))
      .digest('hex');
  for (const file of ['python/paper.py', 'python/decimals.py', 'node/paper.mjs', 'node/decimal.mjs']) {
    const [language] = file.split('/');
    expect(hash(`strategies/${file}`), file).toBe(hash(`examples/${language}-sma-crossover/${basename(file)}`));
  }
});

describe('on a host', () => {
  const hostOf = sharedHost();

  /** Publishes a template as a new user does, and deploys it on the offline feed of the host. */
  async function deployed(host: TestHost, template: Template, config: object, schedule?: string): Promise<string> {
    const dir = join(tempDir(), template);
    const name = createProject({ dir, template, resourcesDir: RESOURCES, nameHint: '' });
    const published = await host.cliWith({ cwd: dir }, 'custom-bot', 'deploy', '--no-vendor');
    expect(published.code, published.stderr).toBe(0);
    const instance = JSON.parse(readFileSync(join(dir, 'instance.json'), 'utf8'));
    const request = { ...instance, config: { ...instance.config, base_url: `${host.url}/feed`, ...config } };
    if (schedule !== undefined) request.schedule = schedule;
    expect(request.type).toMatch(new RegExp(`/${name}$`));
    return (await host.json('bot', 'deploy', jsonFile(host.dataDir, `${template}.json`, request))).bot_id;
  }

  const booked = async (host: TestHost, bot: string): Promise<LedgerEntry[]> =>
    (await host.json('ledger', 'fills', '--bot', bot)).items;

  /** Cash in units of 1e-12 that the books give: what came in, less purchases, plus sales, less fees. */
  function cashOf(entries: readonly LedgerEntry[]): bigint {
    const scaled = (digits: string | null): bigint => {
      const [whole = '0', fraction = ''] = (digits ?? '0').split('.');
      const sign = whole.startsWith('-') ? -1n : 1n;
      return sign * BigInt(whole.replace('-', '') + fraction.padEnd(12, '0'));
    };
    return entries.reduce((cash, { type, side, quantity, price, charge }) => {
      if (type === 'cash_flow') return cash + scaled(charge);
      const amount = (scaled(quantity) * scaled(price)) / 10n ** 12n;
      return cash + (side === 'BUY' ? -amount : amount) - scaled(charge);
    }, 0n);
  }

  async function paperOf(host: TestHost, bot: string): Promise<{ cash: string; decisions: string[] }> {
    return (await host.json('bot', 'state', bot, 'bot_state')).value.AAPL.paper;
  }

  it('the ledger books on paper what the regular buyer says it did, once for runs by hand', async ({
    onTestFinished,
  }) => {
    const host = hostOf(onTestFinished);
    const bot = await deployed(host, 'node-dca', { every: 'month' }, '0 0 1 1 *');
    for (let runs = 1; runs <= 3; runs++) {
      await host.json('bot', 'run', bot);
      await until(
        `run ${runs}`,
        async () => (await runsOf(host, bot)).filter((one) => one.ended_at !== null).length === runs,
      );
    }
    expect((await runsOf(host, bot)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    const entries = await until('the fill in the ledger', async () => {
      const found = await booked(host, bot);
      return found.length >= 2 ? found : null;
    });
    expect(entries.map(({ type, mode, problem }) => [type, mode, problem]).sort()).toEqual([
      ['cash_flow', 'paper', null],
      ['fill', 'paper', null],
    ]);
    const { cash, decisions } = await paperOf(host, bot);
    expect(decisions).toHaveLength(1);
    const [whole = '', fraction = ''] = cash.split('.');
    expect(cashOf(entries)).toBe(BigInt(whole + fraction.padEnd(12, '0')));
    expect((await host.json('ledger', 'problems', '--bot', bot)).items).toEqual([]);
  });

  it('the ledger books on paper what the grid says it did, across a restart', async ({ onTestFinished }) => {
    const host = hostOf(onTestFinished);
    // The clock of the feed stands at the top of a swing: from another point the price need not come down for minutes.
    const base_url = `${host.url}/feed/from/${Date.now() - 2 * FEED_DAY_MS}`;
    const bot = await deployed(host, 'node-grid', { step_percent: 0.25, update_interval_ms: 1000, base_url });
    const fills = async () => (await booked(host, bot)).filter(({ type }) => type === 'fill').length;
    const before = await until('purchases', fills);
    await host.json('bot', 'restart', bot);
    await until('sales', async () => (await fills()) > before);
    await host.json('bot', 'stop', bot);
    await until('the end', async () => (await host.json('bot', 'get', bot)).status === 'stopped');
    const { cash, decisions } = await paperOf(host, bot);
    const entries = await until('all fills in the ledger', async () => {
      const found = await booked(host, bot);
      return found.filter(({ type }) => type === 'fill').length === decisions.length ? found : null;
    });
    const [whole = '', fraction = ''] = cash.split('.');
    expect(cashOf(entries)).toBe(BigInt(whole + fraction.padEnd(12, '0')));
    expect(entries.every(({ mode, problem }) => mode === 'paper' && problem === null)).toBe(true);
    expect((await host.json('ledger', 'problems', '--bot', bot)).items).toEqual([]);
  });

  const TRIED: Template[] = ['node-grid', 'node-dca', 'node-price-alert', 'node-rebalancer'];
  const FURTHER = [...TRIED.slice(2), ...TRIED.map((one) => one.replace('node', 'python') as Template)];
  it.for(variants(TRIED.slice(0, 2), FURTHER))(
    '%s is verified without a fault',
    async (template, { onTestFinished }) => {
      const dir = join(tempDir(), template);
      createProject({ dir, template, resourcesDir: RESOURCES, nameHint: '' });
      const verified = await hostOf(onTestFinished).cliWith(
        { cwd: dir },
        'custom-bot',
        'verify',
        '--no-vendor',
        '--seconds',
        '5',
      );
      expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    },
  );
});
