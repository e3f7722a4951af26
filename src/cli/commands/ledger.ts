import type { LedgerBook, LedgerQuery, LedgerSum } from '../../contract/ledger.ts';
import type { Command, Output } from '../command.ts';
import { LEDGER_OPTIONS } from '../ledger-bots.ts';
import { tellCsv } from '../ledger-table.ts';
import { readNamedLedgers } from '../read-named-ledgers.ts';
import { UsageError } from '../usage-error.ts';

const BY = ['day', 'symbol', 'account'] as const;
const HEAD = ['BOT', 'MODE', 'DAY', 'SYMBOL', 'ACCOUNT', 'CURRENCY', 'REALISED', 'FEES', 'CASH', 'NET'];

function flowsText(flows: LedgerSum['flows']): string {
  return Object.entries(flows)
    .map(([kind, amount]) => `${kind} ${amount}`)
    .join(', ');
}

function row(bot: string, mode: string, sum: LedgerSum): string[] {
  const account = [sum.venue, sum.account].filter((text) => text !== null).join(' ');
  const of = [sum.day ?? '', sum.symbol ?? '', account, sum.currency ?? 'unknown'];
  return [bot, mode, ...of, sum.realised, sum.fees, flowsText(sum.flows), sum.net ?? ''];
}

/** The columns that say something in at least one row. */
function used(rows: readonly (readonly string[])[]): number[] {
  return HEAD.flatMap((_, at) => (rows.some((cells) => cells[at] !== '') ? [at] : []));
}

function chosen(by: string | undefined): LedgerQuery['by'] {
  const found = BY.find((one) => one === by);
  if (by !== undefined && found === undefined)
    throw new UsageError(`--by takes one of ${BY.join(', ')}, not ${by}.`, 'ledger');
  return found;
}

/** Says by which rates sums were converted, and what could not be. */
function tellRates(out: Output, books: readonly LedgerBook[], names: ReadonlyMap<string, string>): void {
  const said = new Set<string>();
  for (const { mode, conversion } of books) {
    for (const { base, quote, value, at, bot_id } of conversion?.rates ?? [])
      said.add(`${mode}: 1 ${base} = ${value} ${quote}, as ${names.get(bot_id) ?? bot_id} wrote at ${at}`);
    for (const currency of conversion?.missing ?? [])
      said.add(
        `${mode}: no bot has written a rate between ${currency} and ${conversion?.currency}, so ${currency} is not converted`,
      );
  }
  for (const one of said) out.note(one);
}

export const command: Command = {
  positionals: [],
  options: {
    ...LEDGER_OPTIONS,
    by: { type: 'string', value: 'WHAT', help: 'A sum for each day, symbol or account' },
    from: { type: 'string', value: 'DAY', help: 'From this day on: 2026-01-31' },
    to: { type: 'string', value: 'DAY', help: 'Up to this day, counted as well' },
    zone: { type: 'string', value: 'ZONE', help: 'Time zone of the days: Europe/Berlin; UTC without it' },
    in: { type: 'string', value: 'CURRENCY', help: 'Convert by the newest `rate` rows of bots: EUR' },
  },
  description:
    'Shows what bots earned and paid, by mode and currency. Realised profit is before fees; net is after fees and every flow of cash but deposits and withdrawals. Only --in converts, by rates that bots wrote, and names each with its time.',
  examples: [
    'platform ledger',
    'platform ledger --bot "sma live" --by day --from 2026-01-01',
    'platform ledger --by day --zone Europe/Berlin',
    'platform ledger --by symbol --csv',
    'platform ledger --in EUR',
  ],
  async run({ client, out }, args) {
    const by = chosen(args.text('by'));
    const range = { by, from: args.text('from'), to: args.text('to'), zone: args.text('zone'), in: args.text('in') };
    const host = await client();
    const all = await readNamedLedgers(host, args, range);
    out.data({ items: all.map(({ ledger }) => ledger) });
    const books = all.flatMap(({ name, ledger }) => ledger.books.map((book) => ({ name, ...book })));
    const rows = books.flatMap(({ name, mode, sums }) => sums.map((sum) => row(name, mode, sum)));
    tellRates(out, books, new Map(all.map(({ name, ledger }) => [ledger.bot_id, name])));
    if (args.flag('csv')) {
      tellCsv(out, HEAD, rows);
      return 0;
    }
    const columns = used(rows);
    const only = (cells: readonly string[]): string[] => columns.map((at) => cells[at] ?? '');
    if (rows.length > 0) out.table(only(HEAD), rows.map(only));
    else out.line('Nothing is booked yet.');
    for (const { name, mode, not_booked, conflicts } of books) {
      if (not_booked + conflicts === 0) continue;
      const count = not_booked + conflicts;
      out.note(
        `${name} (${mode}): ${count} ${count === 1 ? 'row is' : 'rows are'} in no sum. See: platform ledger problems`,
      );
    }
    return 0;
  },
};
