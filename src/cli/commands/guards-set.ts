import { GUARD_KIND_NAMES, GUARD_UNITS } from '../../contract/guard-choices.ts';
import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

const WORDS = 'guards set';

function oneOf<T extends string>(what: string, text: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === text);
  if (found === undefined) throw new UsageError(`${what} is ${choices.join(', ')}, not "${text}".`, WORDS);
  return found;
}

export const command: Command = {
  positionals: ['<bot>', '<kind>', '<limit>'],
  options: {
    symbol: { type: 'string', value: 'SYMBOL', help: 'Of position_limit: only this symbol' },
    unit: {
      type: 'string',
      value: 'UNIT',
      help: 'currency, percent (of the equity at the start of the day) or quantity',
    },
    action: { type: 'string', value: 'ACTION', help: 'stop (default) or alarm' },
    zone: { type: 'string', value: 'ZONE', help: 'Where the day begins, such as Europe/Berlin; default: UTC' },
    'fail-closed': { type: 'string', value: 'MINUTES', help: 'Fire once the guard could not be computed for so long' },
  },
  description:
    'Adds a guard, or changes the one of this kind and symbol: daily_loss, drawdown, orders_per_minute, position_limit, error_rate or silent_for. A limit that ends in % is a percentage. An API key may only make a guard stricter.',
  examples: [
    'platform guards set "sma live" daily_loss 250',
    'platform guards set "sma live" drawdown 5% --zone America/New_York',
    'platform guards set "sma live" position_limit 2 --symbol BTC --action alarm',
  ],
  async run({ client, out }, args) {
    const [name = '', kind = '', limit = ''] = args.positionals;
    const unit = args.text('unit');
    const action = args.text('action');
    const host = await client();
    const guard = await host.call('guards.set', {
      bot_id: await host.botId(name),
      kind: oneOf('A guard', kind, GUARD_KIND_NAMES),
      limit: limit.replace(/%$/, ''),
      unit: limit.endsWith('%') ? 'percent' : unit === undefined ? undefined : oneOf('--unit', unit, GUARD_UNITS),
      symbol: args.text('symbol'),
      action: action === undefined ? undefined : oneOf('--action', action, ['alarm', 'stop'] as const),
      zone: args.text('zone'),
      fail_closed_min: args.integer('fail-closed', 1, 1440),
    });
    out.data(guard);
    out.line(printable(guard.sentence));
    return 0;
  },
};
