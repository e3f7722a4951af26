import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chart } from '../../src/main/host/feed/offline-feed.ts';
import { readBotConfig } from '../../src/packaging/bot-config.ts';
import { readBotSchema } from '../../src/packaging/bot-schema.ts';
import { newInstance, sharedProject } from '../support/example-bots.ts';
import { variants } from '../support/proof.ts';
import { type ScriptedFeed, scriptedFeed } from '../support/scripted-feed.ts';

const RESOURCES = resolve(import.meta.dirname, '../../resources');
const START = Date.UTC(2026, 0, 15, 9, 30);
const EXAMPLES = [
  'cpp-sma-crossover',
  'python-sma-crossover',
  'node-sma-crossover',
  'python-portfolio-tracker',
  'node-price-alerts',
];
const STRATEGIES = ['grid', 'dca', 'price-alert', 'rebalancer'];
const TEMPLATES = [
  ...['python', 'node', 'typescript', 'cpp', 'command-bash', 'command-awk'],
  ...STRATEGIES.flatMap((strategy) => [`python-${strategy}`, `node-${strategy}`]),
];
/** Shorter than the schema allows: the schema guards deployments, the bots themselves take any interval. */
const QUICK = { update_interval_ms: 5 };

const closesAt = (now: number): (number | null)[] => {
  const answer = chart('AAPL', now, new URLSearchParams('interval=1d&range=1y'), START);
  const { chart: body } = answer.body as {
    chart: { result: [{ indicators: { quote: [{ close: (number | null)[] }] } }] };
  };
  return body.result[0].indicators.quote[0].close;
};

/** The reference arithmetic, written down once more from the contract and not from the bots. */
function expected(closes: (number | null)[], short_period: number, long_period: number) {
  const prices = closes.filter((close): close is number => close !== null);
  const mean = (count: number) => prices.slice(-count).reduce((sum, price) => sum + price, 0) / count;
  const [before = 0, last = 0] = prices.slice(-2);
  return {
    price: {
      symbol: 'AAPL',
      value: Number(last.toFixed(2)),
      change_pct: Number(((last / before - 1) * 100).toFixed(3)),
    },
    sma: { symbol: 'AAPL', short_sma: mean(short_period), long_sma: mean(long_period), short_period, long_period },
    confidence: Math.min((Math.abs(mean(short_period) - mean(long_period)) / mean(long_period)) * 100, 0.95),
  };
}

describe.each(variants(['python'], ['node', 'cpp']))('the SMA crossover bot in %s', (language) => {
  const setup = sharedProject(`examples/${language}-sma-crossover`);
  const short = (feed: ScriptedFeed) => ({
    symbol: 'AAPL',
    short_period: 2,
    long_period: 5,
    ...QUICK,
    base_url: feed.url,
  });

  it('reads the offline feed: BUY at the second look, SELL at the third, with the numbers of the contract', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    const base_url = `${feed.url}/feed/from/${START}/`;
    await using bot = instance.start({ symbol: 'AAPL', ...QUICK, base_url });
    const moments = [START, START + 30_100, START + 60_200];
    for (const now of moments) await feed.answer({ now });
    await feed.arrived();

    const wanted = moments.map((now) => expected(closesAt(now), 5, 20));
    expect(bot.of('price')).toEqual(wanted.map(({ price }) => price));
    expect(bot.of('sma')).toEqual(wanted.map(({ sma }) => sma));
    const signal = (type: string, direction: string, look = wanted[0]) => ({
      type,
      symbol: 'AAPL',
      price: look?.price.value,
      confidence: look?.confidence,
      reason: `SMA(5) crossed ${direction} SMA(20)`,
    });
    expect(bot.of('signal')).toEqual([signal('BUY', 'above', wanted[1]), signal('SELL', 'below', wanted[2])]);
    expect(bot.metrics.map(({ type }) => type).join(' ')).toBe(
      [
        'price sma cash_flow position equity',
        'price sma signal order fill order position equity',
        'price sma signal order fill order position equity',
      ].join(' '),
    );
    expect(closesAt(START).at(-1), 'the first series ends with a hole').toBeNull();
    expect(feed.requests[0]).toBe(`/feed/from/${START}/v8/finance/chart/AAPL?interval=1d&range=1y`);
  });

  it('drops nulls, rounds as the contract says, caps the confidence, and treats equal averages as not crossed', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    await using bot = instance.start(short(feed));
    const series = [
      [null, 100, 100, 100, 100, 100, null],
      [100, 100, 100, 100, null, 101.125],
      [100, 100, 100, 100, 100],
      [100, 100, 100, 100, 99, null],
      [100, 100, 100, 99, null, 150.006],
      [100, 100, 99, 150, 50],
      [100, 100, 100, 100, 100],
      [99, 99, 99, 99, 99],
    ];
    for (const closes of series) await feed.answer({ closes });
    await feed.arrived();

    expect(bot.of('price').map(({ value, change_pct }) => [value, change_pct])).toEqual([
      [100, 0],
      [101.13, 1.125],
      [100, 0],
      [99, -1],
      [150.01, 51.521],
      [50, -66.667],
      [100, 0],
      [99, 0],
    ]);
    const averages = bot.of('sma').map(({ short_sma, long_sma }) => [short_sma, long_sma]);
    expect(averages.slice(0, 4)).toEqual([
      [100, 100],
      [100.5625, 100.225],
      [100, 100],
      [99.5, 99.8],
    ]);
    const signals = bot.of('signal');
    expect(signals.map(({ type, price }) => [type, price])).toEqual([
      ['BUY', 101.13],
      ['SELL', 99],
      ['BUY', 150.01],
    ]);
    expect(signals[0]?.confidence).toBeCloseTo(0.336742, 5);
    expect(signals[1]?.confidence).toBeCloseTo(0.3006, 5);
    expect(signals[2]?.confidence).toBe(0.95);
  });

  it('logs and waits while there are fewer prices than long_period', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    await using bot = instance.start(short(feed));
    await feed.answer({ closes: [1, null, 2, 3, null, 4] });
    await feed.arrived();
    expect(bot.lines('Only 4 of 5 prices for AAPL').length).toBe(1);
    expect(bot.metrics).toEqual([]);
    expect(await instance.state('bot_state')).toBeUndefined();
    await feed.answer({ closes: [1, 2, 3, 4, 5] });
    await bot.until('the first averages', () => bot.of('sma').length === 1);
    expect(bot.of('signal')).toEqual([]);
  });

  it('logs a failed iteration and goes on, with the averages from before the failure', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    await using bot = instance.start(short(feed));
    await feed.answer({ closes: [5, 4, 3, 2, 1] });
    await feed.answer({ status: 500, text: '{}' });
    await feed.answer({ status: 200, text: '{"chart":' });
    await feed.answer({ status: 200, text: '{"chart":{"result":null,"error":{"code":"Not Found"}}}' });
    await feed.answer({ status: 200, text: '[]' });
    await feed.answer('cut');
    await feed.answer({ now: START });
    await feed.answer({ closes: [1, 2, 3, 4, 5] });
    await bot.until('a signal after the failures', () => bot.of('signal').length === 1);
    expect(bot.lines('Iteration failed').map((line) => line.split(':')[0])).toEqual(
      Array(6).fill('ERROR Iteration failed'),
    );
    expect(bot.lines('answered 500 for AAPL').length).toBe(1);
    expect(bot.of('sma').length).toBe(2);
    expect(bot.of('signal')).toMatchObject([{ type: 'BUY', price: 5, confidence: 0.95 }]);
  });

  it('ends promptly on SIGTERM with exit code 0, asleep and in the middle of a fetch', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    await using asleep = instance.start({ ...short(feed), update_interval_ms: 3_600_000 });
    await feed.answer({ closes: [1, 2, 3, 4, 5] });
    await asleep.until('the averages', () => asleep.of('sma').length === 1);
    await using fetching = instance.start(short(feed));
    await feed.arrived();
    const before = performance.now();
    expect(await Promise.all([asleep.stop(), fetching.stop()])).toEqual([0, 0]);
    // Long before its next look at the prices, and without being killed.
    expect(performance.now() - before).toBeLessThan(30_000);
    expect([...asleep.lines('Iteration failed'), ...fetching.lines('Iteration failed')]).toEqual([]);
  });

  it('keeps the last averages across a restart, and forgets them when the periods change', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    const session = async (closes: number[], config = short(feed)) => {
      await using bot = instance.start(config);
      await feed.answer({ closes });
      await feed.arrived();
      expect(await bot.stop()).toBe(0);
      return bot.of('signal').map(({ type }) => type);
    };
    expect(await session([5, 4, 3, 2, 1])).toEqual([]);
    expect(await session([1, 2, 3, 4, 5])).toEqual(['BUY']);
    expect(await session([5, 4, 3, 2, 1])).toEqual(['SELL']);
    expect(await instance.state('bot_state')).toMatchObject({
      iterations: 3,
      signals: [{ type: 'SELL' }, { type: 'BUY' }],
    });
    expect(await session([1, 2, 3, 4, 5], { ...short(feed), short_period: 3 })).toEqual([]);
    expect(await instance.state('bot_state')).toMatchObject({ iterations: 1, signals: [], short_period: 3 });
  });

  it('follows signals on paper, to the last digit: all cash for BUY, all units for SELL', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    await using bot = instance.start(short(feed));
    for (const last of [100, 101.17, 98.03, 98.03]) await feed.answer({ closes: [100, 100, 100, 100, last] });
    await feed.arrived();
    // 10000 / 101.17 = 98.84353…; 10000 - 98.843530 * 101.17 = 0.0000699; 98.843530 * 98.03 + 0.0000699 = 9689.6313158.
    const both = { client_order_id: expect.any(String), symbol: 'AAPL', quantity: '98.84353', currency: 'USD' };
    expect(bot.of('fill')).toMatchObject([
      { ...both, side: 'BUY', price: '101.17', account: 'paper-AAPL' },
      { ...both, side: 'SELL', price: '98.03', account: 'paper-AAPL' },
    ]);
    expect(bot.of('order').map(({ side, status }) => `${side} ${status}`)).toEqual([
      'BUY new',
      'BUY filled',
      'SELL new',
      'SELL filled',
    ]);
    for (const order of bot.of('order')) expect(order.decision_id).toBe(order.client_order_id);
    expect(bot.of('cash_flow')).toMatchObject([{ amount: '10000', kind: 'deposit', currency: 'USD' }]);
    expect(bot.of('equity').map(({ value }) => value)).toEqual([10_000, 10_000, 9_689.63, 9_689.63]);
    expect(bot.of('position').map(({ quantity, value }) => [quantity, value])).toEqual([
      [0, 0],
      [98.84353, 10_000],
      [0, 0],
      [0, 0],
    ]);
  });

  it('prints the same rows again, and trades nothing, after a kill between storing a trade and printing it', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    const session = async (closes: number[]) => {
      await using bot = instance.start(short(feed));
      await feed.answer({ closes });
      await feed.arrived();
      expect(await bot.stop()).toBe(0);
      return bot;
    };
    await session([5, 4, 3, 2, 1]);
    const before = await instance.state('bot_state');
    const bought = await session([1, 2, 3, 4, 5]);
    const after = await instance.state('bot_state');
    const account = (saved: typeof after) => (saved as { accounts: { AAPL: { rows: unknown[] } } }).accounts.AAPL;
    expect(account(after).rows).toEqual([]);
    const rows = bought.metrics.filter(({ type }) => type === 'order' || type === 'fill');
    expect(rows).toHaveLength(3);

    const unprinted = { ...account(after), rows: rows.map(({ type, data }) => [type, data]) };
    await instance.putState('bot_state', { ...after, accounts: { AAPL: unprinted } });
    const again = await session([1, 2, 3, 4, 5]);
    expect(again.metrics.filter(({ type }) => type === 'order' || type === 'fill')).toEqual(rows);
    expect(account(await instance.state('bot_state'))).toEqual(account(after));

    // Killed before it was stored: the decision is made once more, for the same cash.
    await instance.putState('bot_state', before);
    const anew = await session([1, 2, 3, 4, 5]);
    expect(anew.of('fill')).toMatchObject([{ side: 'BUY', quantity: '2000', price: '5' }]);
    // Bought already: another crossing upwards trades nothing.
  });

  it('keeps the paper account of each symbol when the settings change', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    const session = async (closes: number[], config: object) => {
      await using bot = instance.start({ ...short(feed), ...config });
      await feed.answer({ closes });
      await feed.arrived();
      await bot.stop();
      return bot.of('equity').map(({ value, account }) => [account, value]);
    };
    await session([5, 4, 3, 2, 1], {});
    expect(await session([1, 2, 3, 4, 5], {})).toEqual([['paper-AAPL', 10_000]]);
    expect(await session([1, 2, 3, 4, 5], { symbol: 'MSFT' })).toEqual([['paper-MSFT', 10_000]]);
    expect(await session([1, 2, 3, 4, 6], { short_period: 3 })).toEqual([['paper-AAPL', 12_000]]);
  });

  it('answers /status and /signals without changing state', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    const config = short(feed);
    const nothing = {
      last_price: null,
      change_pct: null,
      short_sma: null,
      long_sma: null,
      last_signal: null,
      updated_at: null,
    };
    expect(await instance.ask('/status', {}, config)).toMatchObject({
      exitCode: 0,
      envelope: { status: 'ok', data: { ...nothing, symbol: 'AAPL', short_period: 2, long_period: 5, iterations: 0 } },
    });
    expect((await instance.ask('/signals')).envelope).toEqual({ status: 'ok', data: { signals: [], total: 0 } });

    await using bot = instance.start(config);
    for (const last of [100, 101, 98, 120]) await feed.answer({ closes: [100, 100, 100, 100, last] });
    await feed.arrived();
    await bot.stop();
    const changed = await instance.stateChangedAt('bot_state');
    const { envelope } = await instance.ask('/status', {}, config);
    expect(envelope.data).toMatchObject({
      symbol: 'AAPL',
      last_price: 120,
      change_pct: 20,
      short_sma: 110,
      long_sma: 104,
      iterations: 4,
      last_signal: { ...bot.of('signal')[2], at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) },
    });
    const two = await instance.ask('/signals', { limit: '2' });
    expect(two.envelope.data).toMatchObject({
      signals: [
        { type: 'BUY', price: 120 },
        { type: 'SELL', price: 98 },
      ],
      total: 3,
    });
    for (const limit of ['0', '101', 'x', '1.5', '-1', '']) {
      const { exitCode, envelope: refused } = await instance.ask('/signals', { limit });
      expect([limit, exitCode, refused.status, refused.error]).toEqual([
        limit,
        1,
        'error',
        expect.stringContaining('limit must be a whole number from 1 to 100'),
      ]);
    }
    expect(await instance.stateChangedAt('bot_state')).toBe(changed);
  });

  it('refuses a short period that is not shorter', async () => {
    await using feed = await scriptedFeed();
    await using instance = await newInstance(setup.project);
    await using bot = instance.start({ ...short(feed), short_period: 5 });
    expect(await bot.exited).toBe(1);
    const message = 'short_period (5) must be smaller than long_period (5)';
    expect(await instance.result()).toMatchObject({ status: 'error', message });
  });
});

describe('the files of every example and template', () => {
  const folders = [...EXAMPLES.map((name) => `examples/${name}`), ...TEMPLATES.map((name) => `templates/${name}`)];

  it('cover every folder there is', async () => {
    const list = async (kind: string) => (await readdir(join(RESOURCES, kind))).map((name) => `${kind}/${name}`);
    expect([...(await list('examples')), ...(await list('templates'))].sort()).toEqual([...folders].sort());
  });

  it.each(folders)('%s deploys as it is', async (folder) => {
    const name = folder.startsWith('templates/') ? 'my-bot' : folder.slice('examples/'.length);
    const text = async (file: string) =>
      (await readFile(join(RESOURCES, folder, file), 'utf8')).replaceAll('{{name}}', name);
    const reading = readBotConfig(await text('bot-config.yaml'));
    expect([...reading.problems, ...reading.warnings]).toEqual([]);
    const schema = readBotSchema(await text('bot-schema.json'));
    expect(schema.problems).toEqual([]);
    const config = parse(await text('bot-config.yaml'));
    expect(config).toMatchObject({ name, readme: 'README.md', schema: { bot: 'bot-schema.json' } });
    expect(config.metadata).toMatchObject({ categories: [expect.any(String)], complexity: expect.any(String) });
    expect(config.metadata.tags.length).toBeGreaterThan(0);
    if (config.runtime !== 'gcc13') {
      for (const entry of Object.values<string>(config.entrypoints)) {
        expect(existsSync(join(RESOURCES, folder, entry)), entry).toBe(true);
      }
    }
    const instance = JSON.parse(await text('instance.json'));
    expect(instance).toMatchObject({ type: `${config.type}/${name}`, version: config.version });
    expect('schedule' in instance).toBe(config.type === 'scheduled');
    const validate = new Ajv({ strict: true, useDefaults: true }).compile(JSON.parse(await text('bot-schema.json')));
    expect(validate(instance.config), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...instance.config, unknown: 1 })).toBe(false);
    const readme = await text('README.md');
    const asked = config.entrypoints.query === undefined ? [] : ['platform bot query'];
    for (const part of ['platform custom-bot deploy', 'platform bot deploy instance.json', ...asked]) {
      expect(readme).toContain(part);
    }
  });

  it.each(['node', 'python', 'cpp'])('the %s SMA schema is the table of the contract', async (language) => {
    const schema = JSON.parse(
      await readFile(join(RESOURCES, `examples/${language}-sma-crossover/bot-schema.json`), 'utf8'),
    );
    const rules = Object.entries<Record<string, unknown>>(schema.properties).map(([key, rule]) => [
      key,
      rule.type,
      rule.default,
      rule.minimum,
      rule.maximum,
    ]);
    expect(rules).toEqual([
      ['symbol', 'string', 'AAPL', undefined, undefined],
      ['short_period', 'integer', 5, 2, 50],
      ['long_period', 'integer', 20, 5, 200],
      ['update_interval_ms', 'integer', 60000, 30000, 3600000],
      ['base_url', 'string', 'https://query1.finance.yahoo.com', undefined, undefined],
    ]);
    expect([schema.$schema, schema.type, schema.additionalProperties]).toEqual([
      'http://json-schema.org/draft-07/schema#',
      'object',
      false,
    ]);
  });
});
