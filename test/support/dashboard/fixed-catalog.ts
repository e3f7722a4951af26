import type { CustomBotSummary, DescribedVersion } from '../../../src/contract/custom-bot.ts';
import type { Sample } from '../../../src/contract/sample-bot.ts';
import { BOTS, back } from './fixed-bots.ts';

const DAY = 24 * 3_600_000;

/** The custom bot whose pages are shown. */
export const CUSTOM_BOT = 'sma-crossover';

const README = `# SMA crossover

Signals **BUY** when the short average crosses above the long one, and *SELL* when it crosses below.

## What it needs

- a price feed
- a symbol, for example \`AAPL\`

\`\`\`sh
npx platform bot deploy instance.json
\`\`\`

| setting | meaning |
|---|---|
| symbol | what it trades |
| short_period | points of the short average |

See the [documentation](https://example.com/docs).
`;

const summary = (name: string, over: Partial<CustomBotSummary> = {}): CustomBotSummary => ({
  name,
  type: 'realtime',
  runtime: 'nodejs24',
  description: 'Signals when two averages of a price cross',
  latest_version: '1.2.0',
  versions: ['1.2.0', '1.1.0', '1.0.0'],
  created_at: back(40 * DAY),
  updated_at: back(2 * DAY),
  bots: BOTS.filter((bot) => bot.type.endsWith(`/${name}`)).length,
  ...over,
});

export const CUSTOM_BOTS: readonly CustomBotSummary[] = [
  summary('a-custom-bot-with-a-name-of-fifty-characters-as-it-may', {
    description: `A description that goes on for as long as it may: ${'it buys, it sells, it waits, '.repeat(8)}and it ends.`,
    latest_version: '10.20.30',
    versions: ['10.20.30'],
  }),
  summary('grid-trader', {
    description: 'Buys low and sells high on a grid',
    latest_version: '2.0.1',
    versions: ['2.0.1', '2.0.0'],
  }),
  summary('idle', { description: 'Nobody has deployed it yet', versions: ['1.2.0'] }),
  summary('portfolio-tracker', {
    type: 'scheduled',
    runtime: 'python311',
    description: '',
    latest_version: '1.0.3',
    versions: ['1.0.3', '1.0.2'],
  }),
  summary(CUSTOM_BOT),
];

export function versionOf(name: string, version: string): DescribedVersion {
  const known = CUSTOM_BOTS.find((one) => one.name === name) ?? summary(name);
  const age = known.versions.indexOf(version);
  return {
    name,
    version,
    type: known.type,
    runtime: known.runtime,
    description: known.description,
    author: 'Jo Doe',
    entrypoints: { bot: 'bot.mjs', query: 'query.mjs' },
    metadata: { categories: ['trend'], tags: ['sma', 'crossover'], complexity: 'beginner' },
    readme: name === CUSTOM_BOT ? README : null,
    hash: version.replaceAll('.', '').padEnd(64, 'a'),
    size_bytes: 14_210 - age * 800,
    files: 6,
    config: {
      name,
      version,
      type: known.type,
      runtime: known.runtime,
      description: `${known.description} (${version})`,
    },
    install_sheet: {
      declares: true,
      wants: ['network: query1.finance.yahoo.com, port 443, with TLS', 'secret: KRAKEN_KEY'],
      since: age === known.versions.length - 1 ? null : (known.versions[age + 1] ?? null),
      added: age === 0 && known.versions.length > 1 ? ['secret: KRAKEN_KEY'] : [],
      removed: [],
    },
    created_at: back((2 + age * 12) * DAY),
  };
}

/** The settings of any custom bot here; the range of one has grown with the newest version. */
export function schemaOf(version: string): Record<string, unknown> {
  return {
    title: 'SMA crossover',
    description: 'Settings of the averages',
    type: 'object',
    properties: {
      symbol: { type: 'string', description: 'What it trades.', examples: ['AAPL'] },
      short_period: {
        type: 'integer',
        minimum: 2,
        maximum: version === '1.2.0' ? 60 : 40,
        default: 5,
        description: 'Points of the short average.',
      },
      long_period: { type: 'integer', minimum: 5, default: 20, description: 'Points of the long average.' },
      mode: { enum: ['paper', 'live'], default: 'paper', description: 'Whether orders are real.' },
      dry_run: { type: 'boolean', default: true, description: 'Only says what it would do.' },
      api_key: { type: 'string', description: 'Key of the exchange.' },
      thresholds: {
        type: 'object',
        description: 'Prices at which it speaks up.',
        additionalProperties: { type: 'number' },
      },
      ...(version === '1.2.0'
        ? { levels: { type: 'array', items: { type: 'number' }, description: 'Prices of the grid.' } }
        : {}),
    },
    required: ['symbol'],
    additionalProperties: false,
  };
}

const sample = (name: string, over: Partial<Sample>): Sample => ({
  name,
  version: '1.0.0',
  type: 'realtime',
  runtime: 'nodejs24',
  description: 'Watches a price and signals when its averages cross',
  recommended: false,
  problem: null,
  ...over,
});

export const SAMPLES: readonly Sample[] = [
  sample('node-sma-crossover', { recommended: true }),
  sample('node-price-alerts', { description: 'Says when a price passes a threshold' }),
  sample('python-portfolio-tracker', {
    type: 'scheduled',
    runtime: 'python311',
    description: 'Counts what a portfolio is worth',
  }),
  sample('cpp-sma-crossover', {
    runtime: 'gcc13',
    description: 'The same in C++',
    problem: { message: 'There is no C++ compiler on this machine', hint: 'Install g++ and make.' },
  }),
];
