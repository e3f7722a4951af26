import type { TradeMode } from '../../../contract/bot.ts';
import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import type {
  Ledger,
  LedgerBook,
  LedgerEntries,
  LedgerEntriesQuery,
  LedgerEntry,
  LedgerEquityNow,
  LedgerPosition,
  LedgerProblems,
  LedgerProblemsQuery,
  LedgerQuery,
  LedgerSum,
} from '../../../contract/ledger.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { type BookingPlace, bookedRow } from '../ledger/checkpoints-and-entries.ts';
import { type Decimal, decimalText, storedDecimal, ZERO } from '../ledger/decimal.ts';
import { feeInBase } from '../ledger/holding-book.ts';
import type { LedgerReader, StoredBook, StoredEntry, StoredPrice, StoredReport } from '../ledger/ledger-reader.ts';
import type { Position } from '../ledger/position.ts';
import { dayOf, FILL_FEE, REALISED, type StoredTotal } from '../ledger/totals.ts';
import type { Adjustment, Fill } from '../ledger/vocabulary.ts';
import type { BotMasker } from './create-bot-masker.ts';
import { ledgerRowText } from './mask-ledger-row.ts';

const DAY_MS = 86_400_000;
/** Cash that came or left without being earned or paid. */
const CAPITAL: ReadonlySet<string> = new Set(['deposit', 'withdrawal']);

export const named = (text: string): string | null => (text === '' ? null : text);
const digits = (value: Decimal | null): string | null => (value === null ? null : decimalText(value));

/** Amounts of one sum. */
class Amounts {
  readonly #of: StoredTotal;
  readonly #by: LedgerQuery['by'];
  readonly #kinds = new Map<string, Decimal>();

  constructor(of: StoredTotal, by: LedgerQuery['by']) {
    this.#of = of;
    this.#by = by;
  }

  add({ kind, amount }: StoredTotal): void {
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? ZERO).plus(storedDecimal(amount)));
  }

  /** Their order: by day, then by name. */
  compare(other: Amounts): number {
    if (this.#by === 'day' && this.#of.day !== other.#of.day) return this.#of.day - other.#of.day;
    return this.#name < other.#name ? -1 : 1;
  }

  get #name(): string {
    const { symbol, venue, account, currency } = this.#of;
    const group = this.#by === 'symbol' ? [symbol] : this.#by === 'account' ? [venue, account] : [];
    return JSON.stringify([...group, currency, symbol]);
  }

  wire(): LedgerSum {
    const { day, symbol, venue, account, currency } = this.#of;
    const [realised, fees] = [REALISED, FILL_FEE].map((kind) => this.#kinds.get(kind) ?? ZERO);
    const flows = [...this.#kinds].filter(([kind]) => kind !== REALISED && kind !== FILL_FEE);
    let net = (realised ?? ZERO).minus(fees ?? ZERO);
    for (const [kind, amount] of flows) if (!CAPITAL.has(kind)) net = net.plus(amount);
    return {
      day: this.#by === 'day' ? toTimestamp(day * DAY_MS).slice(0, 10) : null,
      symbol: this.#by === 'symbol' || currency === '' ? named(symbol) : null,
      venue: this.#by === 'account' ? named(venue) : null,
      account: this.#by === 'account' ? named(account) : null,
      currency: named(currency),
      realised: decimalText(realised ?? ZERO),
      fees: decimalText(fees ?? ZERO),
      flows: Object.fromEntries(flows.sort().map(([kind, amount]) => [kind, decimalText(amount)])),
      net: currency === '' ? null : decimalText(net),
    };
  }
}

/** Adds totals up by what was asked for, and by currency. */
export function sumsOf(totals: readonly StoredTotal[], by: LedgerQuery['by']): LedgerSum[] {
  const sums = new Map<string, Amounts>();
  for (const total of totals) {
    const { day, symbol, venue, account, currency } = total;
    const group = by === undefined ? [] : { day: [day], symbol: [symbol], account: [venue, account] }[by];
    // Rows without a currency may be in any: those of two symbols are not added up.
    const key = JSON.stringify([...group, currency, ...(currency === '' ? [symbol] : [])]);
    const sum = sums.get(key) ?? new Amounts(total, by);
    sum.add(total);
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => a.compare(b)).map((sum) => sum.wire());
}

/** Profit if a position were sold at the newest price; null where a currency or a cost is in the way. */
function unrealisedAt(position: Position, price: StoredPrice | undefined): Decimal | null {
  const { terms } = position;
  if (price === undefined || terms === null || terms.assumed) return null;
  // A price is no exchange rate.
  const isOther = price.currency !== '' && terms.currency !== null && price.currency !== terms.currency;
  return isOther ? null : position.unrealised(storedDecimal(price.value));
}

const placeOf = (account: string, symbol: string, side: string): string => JSON.stringify([account, symbol, side]);

/** True if what the bot reported is neither what its fills said then nor what they say now. */
function differs({ quantity, held }: StoredReport, now: string): boolean {
  return quantity !== held && quantity !== now;
}

export function positionsOf(reader: LedgerReader, book: StoredBook): Pick<LedgerBook, 'positions' | 'differences'> {
  const prices = new Map(reader.prices(book.id).map((price) => [price.symbol, price]));
  const reports = new Map(reader.reports(book.id).map((one) => [placeOf(one.account, one.symbol, one.side), one]));
  const positions: LedgerPosition[] = [];
  for (const { account, symbol, side, position } of reader.holdings(book).holdings()) {
    const { terms } = position;
    if (terms === null) continue;
    const price = prices.get(symbol);
    const quantity = decimalText(position.quantity);
    const report = reports.get(placeOf(account, symbol, side));
    reports.delete(placeOf(account, symbol, side));
    positions.push({
      account: named(account),
      symbol,
      side,
      contract: terms.contract,
      quantity,
      multiplier: decimalText(terms.multiplier),
      currency: terms.currency,
      average_price: digits(position.averagePrice()),
      cost: digits(position.cost()),
      since: toTimestampOrNull(position.since),
      price: price?.value ?? null,
      price_at: toTimestampOrNull(price?.at ?? null),
      unrealised: digits(unrealisedAt(position, price)),
      difference:
        report !== undefined && differs(report, quantity)
          ? `the bot says ${report.quantity}, its fills say ${report.held}`
          : null,
    });
  }
  const nameOf = ({ symbol, account, side }: LedgerPosition): string => JSON.stringify([symbol, account, side]);
  const flat = [...reports.values()].filter((report) => differs(report, '0'));
  return {
    positions: positions.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    differences: flat.map(({ account, symbol, side, quantity, at }) => ({
      ...{ account: named(account), symbol, side, reported: quantity, at: toTimestamp(at) },
    })),
  };
}

export function equityNow(reader: LedgerReader, book: StoredBook, masker: BotMasker): LedgerEquityNow[] {
  return reader.equityNow(book.id).map(({ venue, account, currency, value, at }) => ({
    ...shown(masker, { venue: named(venue), account: named(account) }),
    currency: named(currency),
    value,
    at: toTimestamp(at),
  }));
}

/** What identifies a row, without the secrets that the bot has now. */
export function shown<Fields extends Readonly<Record<string, string | null>>>(
  masker: BotMasker,
  fields: Fields,
): Fields {
  const { value } = masker.maskRow({ ...fields });
  return { ...fields, ...value };
}

/** The books of a bot: sums by what was asked for, and what is held now. Null: the host has no ledger yet. */
export function readLedger(reader: LedgerReader | null, masker: BotMasker, query: LedgerQuery): Ledger {
  const { bot_id, by, from, to } = query;
  // Where no day matters, those that are stored say the same.
  const zone = by === 'day' || from !== undefined || to !== undefined ? (query.zone ?? 'UTC') : 'UTC';
  const first = from === undefined ? Number.MIN_SAFE_INTEGER : dayOf(Date.parse(from));
  const last = to === undefined ? Number.MAX_SAFE_INTEGER : dayOf(Date.parse(to));
  if (reader === null) return { bot_id, books: [], erased: null };
  return reader.atOnce(() => {
    const erased = reader.erased(bot_id);
    const books = reader.books(bot_id).map((book): LedgerBook => {
      const { notBooked, conflicts } = reader.counts(book.id);
      const held = positionsOf(reader, book);
      return {
        mode: book.mode,
        method: book.method,
        sums: sumsOf(reader.totals(book, zone, first, last), by).map((sum) => {
          const { symbol, venue, account } = sum;
          return { ...sum, ...shown(masker, { symbol, venue, account }) };
        }),
        positions: held.positions.map((position) => {
          const { symbol, account } = position;
          return { ...position, ...shown(masker, { symbol, account }) };
        }),
        equity: equityNow(reader, book, masker),
        differences: held.differences.map((difference) => {
          const { symbol, account } = difference;
          return { ...difference, ...shown(masker, { symbol, account }) };
        }),
        not_booked: notBooked,
        conflicts,
      };
    });
    return { bot_id, books, erased: erased === null ? null : { at: toTimestamp(erased.at), rows: erased.rows } };
  });
}

/** Units by which a row changes what is held. */
function movedBy(row: Fill | Adjustment): Decimal {
  if (row.type === 'adjustment') return row.quantity;
  return (row.side === 'BUY' ? row.quantity : row.quantity.neg()).minus(feeInBase(row));
}

function wireEntry(entry: StoredEntry, masker: BotMasker): LedgerEntry {
  const row = bookedRow(entry);
  const isFlow = row.type === 'cash_flow';
  const isFill = row.type === 'fill';
  const { venue, account, symbol, fill_id } = shown(masker, {
    venue: named(entry.venue),
    account: named(entry.account),
    symbol: named(entry.symbol),
    fill_id: row.id,
  });
  return {
    mode: entry.mode,
    seq: entry.seq,
    at: toTimestamp(entry.at),
    type: entry.type,
    id: fill_id ?? '',
    venue,
    account,
    symbol,
    side: isFill ? row.side : null,
    position_side: isFill ? row.positionSide : null,
    kind: isFill ? null : row.kind,
    quantity: isFlow ? null : decimalText(row.quantity),
    moved: isFlow || entry.problem !== null ? null : decimalText(movedBy(row)),
    price: isFill ? decimalText(row.price) : null,
    realised: entry.realised,
    realised_currency: named(entry.realised_currency ?? ''),
    charge: entry.charge,
    charge_currency: named(entry.charge_currency ?? ''),
    unknown: entry.unknown,
    unverified: isFill && row.unverified,
    difference: entry.difference,
    problem: entry.problem,
  };
}

/** The place that `older_before` of an answer names. */
export function placeBefore(before: string | undefined): BookingPlace | null {
  const [, at, seq] = /^(-?\d+)-(\d+)$/.exec(before ?? '') ?? [];
  return at === undefined ? null : { at: Number(at), seq: Number(seq) };
}

/** Books of a bot, of one mode where one is named. */
export function booksOf(reader: LedgerReader | null, botId: string, mode: TradeMode | undefined): StoredBook[] {
  return reader?.books(botId).filter((book) => mode === undefined || book.mode === mode) ?? [];
}

/** Entries of a bot, the last in the order of booking first. */
export function readLedgerEntries(
  reader: LedgerReader | null,
  masker: BotMasker,
  query: LedgerEntriesQuery,
): LedgerEntries {
  const { bot_id, mode, before, limit = LIMITS.logsDefault } = query;
  const place = placeBefore(before);
  const books = booksOf(reader, bot_id, mode);
  const found = books.flatMap((book) => reader?.entries(book, place, limit + 1) ?? []);
  const page = found.sort((a, b) => b.at - a.at || b.seq - a.seq).slice(0, limit);
  const last = page.at(-1);
  return {
    bot_id,
    entries: page.map((entry) => wireEntry(entry, masker)),
    older_before: found.length > limit && last !== undefined ? `${last.at}-${last.seq}` : null,
  };
}

/** The text of a row, without the secrets that the bot has now. */
export function shownText(text: string, masker: BotMasker): string {
  const row: unknown = JSON.parse(text);
  if (!isJsonObject(row)) return masker.mask(text).text;
  const masked = masker.maskRow(row);
  // The object keeps only the last of two equal keys, and the text may hold a secret in the other.
  return masked.spans === 0 && masker.mask(text).text === text ? text : ledgerRowText(text, masked.value);
}

/** Rows of a bot that are in no sum, the newest first. */
export function readLedgerProblems(
  reader: LedgerReader | null,
  masker: BotMasker,
  { bot_id, limit = LIMITS.logsDefault }: LedgerProblemsQuery,
): LedgerProblems {
  const found = reader?.books(bot_id).flatMap((book) => reader.problems(book, limit)) ?? [];
  const problems = found.sort((a, b) => b.seq - a.seq).slice(0, limit);
  return {
    bot_id,
    problems: problems.map(({ mode, seq, at, type, reason, problem, text }) => ({
      ...{ mode, seq, at: toTimestamp(at), type, reason },
      message: masker.mask(problem).text,
      row: shownText(text, masker),
    })),
  };
}
