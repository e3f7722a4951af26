import type { TradeMode } from '../../../contract/bot.ts';
import type { Statements } from '../../../node/statements.ts';
import { damage } from '../../../node/storage-error.ts';
import {
  type BookedRow,
  type BookingPlace,
  bookedRow,
  entriesAfter,
  isIdentified,
  lastCheckpoint,
  START,
} from './checkpoints-and-entries.ts';
import { type Decimal, decimalText, storedDecimal, ZERO } from './decimal.ts';
import { type Booking, HoldingBook } from './holding-book.ts';
import type { LotMethod } from './lots.ts';
import { Observations, type ObservedAt } from './observations.ts';
import { OrderBook } from './order-book.ts';
import { readRow } from './read-row.ts';
import { type IdentifiedRow, rowKey, saySame, targetKey } from './row-identity.ts';
import { type Counted, FILL_FEE, REALISED, TotalChanges } from './totals.ts';
import type { KeptType, LedgerRow, LedgerType, PositionReport } from './vocabulary.ts';

/** Entries between two checkpoints: a late row books as many again, and as many are booked when a host starts. */
const CHECKPOINT_EVERY = 500;

const MOST_CHECKPOINTS = 48;
const NEWEST_CHECKPOINTS = 8;

/** A row of a bot's log that the ledger takes. `at` is the bot's time of it, else its arrival, in ms since the epoch. */
export interface SourceRow {
  readonly seq: number;
  readonly at: number;
  readonly type: KeptType;
  readonly text: string;
}

/** A row with the mode of the run that wrote it. */
export interface LedgerSourceRow extends SourceRow {
  readonly mode: TradeMode;
}

/** What became of a row, as it is stored. Amounts are digits. */
interface Result {
  readonly realised: string | null;
  readonly realised_currency: string | null;
  /** What a row costs or brings beside its trade: the fee of a fill, or a flow of cash, and of which kind it is. */
  readonly charge: string | null;
  readonly charge_kind: string | null;
  readonly charge_currency: string | null;
  readonly closed: string | null;
  readonly unknown: string | null;
  readonly difference: string | null;
  readonly problem: string | null;
}

interface Entry extends BookingPlace, Result {
  readonly venue: string;
  readonly account: string;
  readonly symbol: string;
}

interface StoredRow {
  readonly seq: number;
  readonly type: LedgerType;
  readonly key: string;
  readonly at: number;
  readonly root: number | null;
  readonly placed: number | null;
  readonly target: string | null;
  readonly text: string;
}

/** Types whose rows come with every tick: of those that are refused for one reason, the newest is kept. */
const FREQUENT: ReadonlySet<LedgerType> = new Set(['price', 'equity', 'portfolio_value', 'rate', 'position']);

const EMPTY: Result = {
  realised: null,
  realised_currency: null,
  charge: null,
  charge_kind: null,
  charge_currency: null,
  closed: null,
  unknown: null,
  difference: null,
  problem: null,
};
const RESULT = Object.keys(EMPTY) as (keyof Result)[];
const valuesOf = (result: Result): (string | null)[] => RESULT.map((column) => result[column]);

const INSERT_ENTRY = `insert into entry(book, at, seq, row, type, venue, account, symbol, ${RESULT.join(', ')})
  values(?, ?, ?, ?, ?, ?, ?, ?, ${RESULT.map(() => '?').join(', ')})`;
const UPDATE_ENTRY = `update entry set ${RESULT.map((column) => `${column} = ?`).join(', ')}
  where book = ? and at = ? and seq = ?`;

function isBefore(a: BookingPlace, b: BookingPlace): boolean {
  return a.at < b.at || (a.at === b.at && a.seq < b.seq);
}

/**
 * Writes one book inside the caller's transaction. Rows are booked in the order of time and seq: one that comes in that order
 * at once, one that comes late, or corrects an earlier one, with all that follow it, from the checkpoint before. After a
 * failed transaction the writer must be thrown away.
 */
export class BookWriter {
  readonly #statements: Statements;
  readonly #id: number;
  readonly #method: LotMethod;
  readonly #totals = new TotalChanges();
  readonly #orders: OrderBook;
  readonly #observations: Observations;
  /** Reports that wait until what is held is booked again. */
  #reports: { readonly report: PositionReport; readonly when: ObservedAt }[] = [];
  #holdings: HoldingBook;
  /** The last entry that `#holdings` has. */
  #last = START;
  #sinceCheckpoint = 0;
  /** Corrections that wait for the row that they correct; most books have none, and need not look for them. */
  #waiting: number;
  /** The first place that must be booked again; null if none must. */
  #again: BookingPlace | null = null;

  constructor(statements: Statements, id: number, method: LotMethod) {
    this.#statements = statements;
    this.#id = id;
    this.#method = method;
    this.#orders = new OrderBook(statements, id);
    this.#observations = new Observations(statements, id);
    this.#holdings = new HoldingBook(method);
    this.#waiting =
      statements.get<{ n: number }>(
        'select count(*) as n from row indexed by row_target where book = ? and target is not null and root is null',
        id,
      )?.n ?? 0;
    this.#restore(null);
    this.#bookOn(null);
  }

  /** What is held after all rows that were settled. */
  get holdings(): HoldingBook {
    return this.#holdings;
  }

  /**
   * Takes the next row of the bot's log, which may be a repeated, a late or a correcting one. `isOld`: it was left in the log by
   * an earlier release, and others have come since.
   */
  take(source: SourceRow, isOld = false): void {
    const { seq, at, type, text } = source;
    if (type === 'signal') {
      this.#observations.signal(text, source);
      return;
    }
    const { row, problem } = readRow(type, text, seq);
    if (row === null) {
      this.#refuse(seq, at, type, problem, text);
      return;
    }
    if (!isIdentified(row)) {
      this.#observe(row, source, isOld);
      return;
    }
    const key = rowKey(row);
    const first = this.#rowOf(key);
    if (first !== undefined) {
      if (!saySame(this.#read(first), row)) {
        this.#statements.run(
          'insert into conflict(book, seq, first, type, at, text) values(?, ?, ?, ?, ?, ?)',
          ...[this.#id, seq, first.seq, type, at, text],
        );
      }
      return;
    }
    const target = targetKey(row);
    const isFirst = row.type !== 'fill_cancel' && target === null;
    const placed = isFirst ? (row.time ?? at) : null;
    this.#statements.run(
      'insert into row(book, seq, type, key, at, root, placed, target, text) values(?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[this.#id, seq, type, key, at, isFirst ? seq : null, placed, target, text],
    );
    if (isFirst) {
      this.#place({ at: row.time ?? at, seq }, seq, row);
      if (row.type === 'fill') this.#attach(seq, key);
      return;
    }
    const root = target === null ? null : (this.#rowOf(target)?.root ?? null);
    if (root === null) {
      this.#waiting += 1;
      return;
    }
    this.#statements.run('update row set root = ? where book = ? and seq = ?', root, this.#id, seq);
    this.#attach(root, key);
    this.#chooseRow(root);
  }

  #refuse(seq: number, at: number, type: LedgerType, problem: string, text: string): void {
    if (FREQUENT.has(type)) {
      this.#statements.run(
        'delete from refused_row where book = ? and type = ? and problem = ?',
        ...[this.#id, type, problem],
      );
    }
    this.#statements.run(
      'insert or replace into refused_row(book, seq, type, at, problem, text) values(?, ?, ?, ?, ?, ?)',
      ...[this.#id, seq, type, at, problem, text],
    );
  }

  /** Keeps a row that books nothing. */
  #observe(row: Exclude<LedgerRow, IdentifiedRow>, { seq, at, text }: SourceRow, isOld: boolean): void {
    const when = { at, seq };
    switch (row.type) {
      case 'order':
        this.#orders.take({ order: row, seq, at: row.time ?? at, text }, isOld);
        return;
      case 'price':
        this.#observations.price(row, when);
        return;
      case 'equity':
        this.#observations.equity(row, when);
        return;
      case 'rate':
        this.#observations.rate(row, when);
        return;
      case 'position':
        // What was held when an old one was written is not known any more.
        if (isOld) return;
        if (this.#again === null) this.#report(row, when);
        else this.#reports.push({ report: row, when });
    }
  }

  #report(report: PositionReport, when: ObservedAt): void {
    const { account, symbol, positionSide } = report;
    this.#observations.report(report, this.#holdings.held(account, symbol, positionSide), when);
  }

  /** Books again what must be, and writes sums and checkpoints. Returns the UTC days whose sums are others now. */
  settle(): Set<number> {
    const from = this.#again;
    this.#again = null;
    if (from !== null) {
      this.#statements.run(
        'delete from checkpoint where book = ? and (at, seq) >= (?, ?)',
        this.#id,
        from.at,
        from.seq,
      );
      this.#restore(from);
      this.#bookOn(from);
    }
    for (const { report, when } of this.#reports) this.#report(report, when);
    this.#reports = [];
    this.#observations.flush();
    if (this.#sinceCheckpoint >= CHECKPOINT_EVERY) this.#storeCheckpoint();
    return this.#totals.flush(this.#statements, this.#id);
  }

  /** Gives corrections that waited for a row the place of its group, and those that waited for them. */
  #attach(root: number, key: string): void {
    if (this.#waiting === 0) return;
    const keys = [key];
    let found = false;
    for (let target = keys.pop(); target !== undefined; target = keys.pop()) {
      const waiting = this.#statements.all<Pick<StoredRow, 'seq' | 'key'>>(
        `select seq, key from row indexed by row_target
          where book = ? and target = ? and target is not null and root is null`,
        this.#id,
        target,
      );
      for (const correction of waiting) {
        this.#statements.run('update row set root = ? where book = ? and seq = ?', root, this.#id, correction.seq);
        keys.push(correction.key);
        this.#waiting -= 1;
        found = true;
      }
    }
    if (found) this.#chooseRow(root);
  }

  /** Books the newest correction of a group in the place of its first row, or takes the group back. */
  #chooseRow(root: number): void {
    const first = this.#rowAt(root);
    const newest = this.#statements.get<StoredRow>(
      `select * from row indexed by row_root
        where book = ? and root = ? and target is not null order by seq desc limit 1`,
      this.#id,
      root,
    );
    if (first === undefined || newest === undefined) throw damage('a correction has lost the row that it corrects');
    if (first.placed !== null) this.#remove({ at: first.placed, seq: root });
    const row = this.#read(newest);
    const at = row.time ?? this.#read(first).time ?? first.at;
    const isBack = row.type === 'fill_cancel';
    this.#statements.run('update row set placed = ? where book = ? and seq = ?', isBack ? null : at, this.#id, root);
    if (!isBack) this.#place({ at, seq: root }, newest.seq, row);
  }

  #place(place: BookingPlace, rowSeq: number, row: BookedRow): void {
    const isNext = this.#again === null && isBefore(this.#last, place);
    const result = isNext ? this.#book(place, row) : EMPTY;
    const { venue, account } = row;
    const { at, seq } = place;
    const entry = { at, seq, venue, account, symbol: row.symbol ?? '', ...result };
    this.#statements.run(
      INSERT_ENTRY,
      ...[this.#id, at, seq, rowSeq, row.type, venue, account, entry.symbol, ...valuesOf(result)],
    );
    if (isNext) for (const counted of countedIn(entry)) this.#totals.add(counted);
    else this.#mustBookAgain(place);
  }

  #remove(place: BookingPlace): void {
    const { at, seq } = place;
    const entry = this.#statements.get<Entry>(
      'select * from entry where book = ? and at = ? and seq = ?',
      this.#id,
      at,
      seq,
    );
    if (entry === undefined) throw damage('a row has lost its entry');
    for (const counted of countedIn(entry)) this.#totals.remove(counted);
    this.#statements.run('delete from entry where book = ? and at = ? and seq = ?', this.#id, at, seq);
    this.#mustBookAgain(place);
  }

  #mustBookAgain(place: BookingPlace): void {
    if (this.#again === null || isBefore(place, this.#again)) this.#again = place;
  }

  #book(place: BookingPlace, row: BookedRow): Result {
    const { at, seq } = place;
    const booking = this.#holdings.book({ row, at, seq });
    this.#last = { at, seq };
    this.#sinceCheckpoint += 1;
    return resultOf(row, booking);
  }

  /** Goes back to the last checkpoint before a place, or to the last of all. */
  #restore(before: BookingPlace | null): void {
    const { holdings, last } = lastCheckpoint(this.#statements, this.#id, this.#method, before);
    this.#holdings = holdings;
    this.#last = last;
    this.#sinceCheckpoint = 0;
  }

  /** Books what follows the last entry; entries from a place on get new results, those before it have theirs. */
  #bookOn(from: BookingPlace | null): void {
    for (;;) {
      const entries = entriesAfter<Entry>(this.#statements, this.#id, this.#last, CHECKPOINT_EVERY);
      for (const entry of entries) {
        const result = this.#book(entry, bookedRow(entry));
        if (from === null || isBefore(entry, from) || isSame(entry, result)) continue;
        for (const counted of countedIn(entry)) this.#totals.remove(counted);
        for (const counted of countedIn({ ...entry, ...result })) this.#totals.add(counted);
        this.#statements.run(UPDATE_ENTRY, ...valuesOf(result), this.#id, entry.at, entry.seq);
      }
      if (entries.length < CHECKPOINT_EVERY) return;
      this.#storeCheckpoint();
    }
  }

  #storeCheckpoint(): void {
    const { at, seq } = this.#last;
    this.#thinCheckpoints();
    const holdings = JSON.stringify(this.#holdings.stored());
    this.#statements.run(
      'insert or replace into checkpoint(book, at, seq, holdings) values(?, ?, ?, ?)',
      ...[this.#id, at, seq, holdings],
    );
    this.#sinceCheckpoint = 0;
  }

  /** Removes every second of many checkpoints but the newest: they repeat what is held, and old rows seldom come late. */
  #thinCheckpoints(): void {
    const places = this.#statements.all<BookingPlace>(
      'select at, seq from checkpoint where book = ? order by at desc, seq desc',
      this.#id,
    );
    if (places.length < MOST_CHECKPOINTS) return;
    for (const [index, { at, seq }] of places.entries()) {
      if (index < NEWEST_CHECKPOINTS || index % 2 === 0) continue;
      this.#statements.run('delete from checkpoint where book = ? and at = ? and seq = ?', this.#id, at, seq);
    }
  }

  #rowOf(key: string): StoredRow | undefined {
    return this.#statements.get<StoredRow>('select * from row where book = ? and key = ?', this.#id, key);
  }

  #rowAt(seq: number): StoredRow | undefined {
    return this.#statements.get<StoredRow>('select * from row where book = ? and seq = ?', this.#id, seq);
  }

  /** Reads a row that was taken before. */
  #read({ type, text, seq }: Pick<StoredRow, 'type' | 'text' | 'seq'>): IdentifiedRow {
    const { row } = readRow(type, text, seq);
    if (row === null || !isIdentified(row)) throw damage('a row of the ledger is not as it was stored');
    return row;
  }
}

function isSame(a: Result, b: Result): boolean {
  return RESULT.every((column) => a[column] === b[column]);
}

function resultOf(row: BookedRow, booking: Booking): Result {
  if (!booking.booked) return { ...EMPTY, problem: booking.problem };
  const { realised, fee, closed, unknown, difference } = booking;
  const text = (value: Decimal): string | null => (value.eq(ZERO) ? null : decimalText(value));
  const charge =
    row.type === 'cash_flow'
      ? { amount: row.amount, kind: row.kind as string, currency: row.currency }
      : fee === null
        ? null
        : { amount: fee.amount, kind: FILL_FEE, currency: fee.currency ?? '' };
  return {
    realised: realised === null ? null : decimalText(realised.amount),
    realised_currency: realised === null ? null : (realised.currency ?? ''),
    charge: charge === null ? null : decimalText(charge.amount),
    charge_kind: charge?.kind ?? null,
    charge_currency: charge?.currency ?? null,
    closed: text(closed),
    unknown: text(unknown),
    difference,
    problem: null,
  };
}

/** What an entry adds to the sums of its day. */
function countedIn(entry: Entry): Counted[] {
  const { at, venue, account, symbol, realised, realised_currency, charge, charge_kind, charge_currency } = entry;
  const counted = (kind: string | null, currency: string | null, amount: string): Counted => {
    return { at, venue, account, symbol, kind: kind ?? '', currency: currency ?? '', amount: storedDecimal(amount) };
  };
  return [
    ...(realised === null ? [] : [counted(REALISED, realised_currency, realised)]),
    ...(charge === null ? [] : [counted(charge_kind, charge_currency, charge)]),
  ];
}
