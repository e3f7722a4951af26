/**
 * The books once more, slowly and written apart from the product: whole numbers of any size with a scale, lots in plain
 * arrays. What it knows is docs/architecture/ledger.md.
 */

/** n × 10^-s. */
interface Num {
  readonly n: bigint;
  readonly s: number;
}

const num = (n: bigint, s = 0): Num => ({ n, s });
const NONE = num(0n);

export function parse(text: string): Num {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const scale = part.length - Number(exponent);
  const digits = BigInt(`${sign}${whole}${part}`);
  return scale >= 0 ? num(digits, scale) : num(digits * 10n ** BigInt(-scale));
}

/** Plain digits, without zeros at the end. */
export function print({ n, s }: Num): string {
  const digits = (n < 0n ? -n : n).toString().padStart(s + 1, '0');
  const whole = digits.slice(0, digits.length - s);
  const part = digits.slice(digits.length - s).replace(/0+$/, '');
  const text = part === '' ? whole : `${whole}.${part}`;
  return n < 0n ? `-${text}` : text;
}

function aligned(a: Num, b: Num): [bigint, bigint, number] {
  const s = Math.max(a.s, b.s);
  return [a.n * 10n ** BigInt(s - a.s), b.n * 10n ** BigInt(s - b.s), s];
}

function add(a: Num, b: Num): Num {
  const [x, y, s] = aligned(a, b);
  return num(x + y, s);
}
const negated = ({ n, s }: Num): Num => num(-n, s);
const subtract = (a: Num, b: Num): Num => add(a, negated(b));
const multiply = (a: Num, b: Num): Num => num(a.n * b.n, a.s + b.s);
const sign = ({ n }: Num): number => (n > 0n ? 1 : n < 0n ? -1 : 0);
const compare = (a: Num, b: Num): number => sign(subtract(a, b));
const size = (a: Num): Num => (a.n < 0n ? negated(a) : a);

/** The quotient at 18 decimals; a half goes to the even neighbour. */
function divide(a: Num, b: Num): Num {
  const [x, y] = aligned(a, b);
  const top = (x < 0n ? -x : x) * 10n ** 18n;
  const bottom = y < 0n ? -y : y;
  let whole = top / bottom;
  const twice = (top % bottom) * 2n;
  if (twice > bottom || (twice === bottom && whole % 2n === 1n)) whole += 1n;
  return num(x < 0n === y < 0n ? whole : -whole, 18);
}

/** A number with so many decimals; a half goes to the even neighbour. */
function rounded(a: Num, places: number): Num {
  const { n } = divide(num(a.n, a.s), num(10n ** BigInt(18 - places)));
  // The quotient has 18 decimals: shifted by that much, they are the wanted ones.
  return num(n, places);
}

/** A row as a bot sends it: every number as text. */
export type SentRow = Readonly<Record<string, string>>;

interface OracleLot {
  left: Num;
  /** What all units that are left are worth; null where that is unknown. Exact until units of an inexact lot leave. */
  worth: Num | null;
  /** Worth of one unit, where a trade told it. */
  readonly unit: Num | null;
}

interface Book {
  /** 1 long, -1 short; of an empty one it means nothing. */
  way: number;
  lots: OracleLot[];
  contract: string | null;
  multiplier: Num;
  currency: string | null;
}

/** What became of a row: `profit` as text with its currency, null for none. */
export interface Outcome {
  readonly booked: boolean;
  readonly profit: string | null;
  readonly differs: boolean;
}

export interface OraclePosition {
  readonly quantity: string;
  /** What its units were worth when they came; null where some are of unknown cost. */
  readonly worth: string | null;
}

const REFUSED: Outcome = { booked: false, profit: null, differs: false };
const FINE: Outcome = { booked: true, profit: null, differs: false };

export class LedgerOracle {
  readonly #average: boolean;
  readonly #books = new Map<string, Book>();
  /** Whether some of the units that left last are of unknown cost. */
  #unknown = false;

  constructor(method: 'fifo' | 'average') {
    this.#average = method === 'average';
  }

  positions(): Record<string, OraclePosition> {
    const found: Record<string, OraclePosition> = {};
    for (const [key, book] of this.#books) {
      if (book.lots.length === 0) continue;
      const known = book.lots.every(({ worth }) => worth !== null);
      const worth = book.lots.reduce((sum, lot) => add(sum, lot.worth ?? NONE), NONE);
      const held = heldBy(book);
      found[key] = { quantity: print(book.way < 0 ? negated(held) : held), worth: known ? print(worth) : null };
    }
    return found;
  }

  take(type: string, row: SentRow): Outcome {
    if (type === 'fill') return this.#fill(row);
    if (type === 'position') return this.#position(row);
    if (type !== 'adjustment') return FINE;
    return row.kind === 'split' ? this.#split(row) : this.#adjustment(row);
  }

  #book(row: SentRow, side: string): Book {
    const key = `${row.account ?? ''}/${row.symbol}/${side}`;
    let book = this.#books.get(key);
    if (book === undefined) {
      book = { way: 1, lots: [], contract: null, multiplier: num(1n), currency: null };
      this.#books.set(key, book);
    }
    return book;
  }

  #fill(row: SentRow): Outcome {
    const side = row.position_side ?? 'net';
    const contract = row.contract ?? 'spot';
    const way = row.side === 'BUY' ? 1 : -1;
    const price = parse(row.price ?? '');
    const quantity = parse(row.quantity ?? '');
    const multiplier = parse(row.multiplier ?? '1');
    const inBase = contract === 'spot' && row.base !== undefined && row.fee_currency === row.base;
    const fee = inBase ? parse(row.fee ?? '0') : NONE;
    const traded = way > 0 ? subtract(quantity, fee) : quantity;
    if (compare(size(fee), quantity) >= 0) return REFUSED;
    const book = this.#book(row, side);
    const held = heldBy(book);
    if (sign(held) > 0) {
      if (book.contract !== null && (book.contract !== contract || compare(book.multiplier, multiplier) !== 0))
        return REFUSED;
      if (book.currency !== null && row.currency !== undefined && book.currency !== row.currency) return REFUSED;
    }
    if (side === 'long' && way < 0 && compare(traded, held) > 0) return REFUSED;
    if (side === 'short' && way > 0 && compare(traded, held) > 0) return REFUSED;
    if (side === 'long' && way < 0 && compare(fee, subtract(held, traded)) > 0) return REFUSED;
    const worthOf = (units: Num): Num =>
      contract === 'inverse'
        ? divide(multiply(units, multiplier), price)
        : multiply(multiply(units, multiplier), price);
    const trade = (direction: number, units: Num, sells: boolean): Num | null => {
      let profit: Num | null = null;
      let rest = units;
      let hasClosed = false;
      if (sign(heldBy(book)) > 0 && book.way !== direction) {
        const closed = compare(units, heldBy(book)) > 0 ? heldBy(book) : units;
        hasClosed = true;
        profit = this.#close(book, closed, sells ? worthOf(closed) : null, contract);
        rest = subtract(units, closed);
      }
      if (sign(rest) > 0) {
        if (book.lots.length === 0) Object.assign(book, { way: direction, currency: hasClosed ? book.currency : null });
        Object.assign(book, { contract, multiplier });
        const unit = contract === 'inverse' ? null : multiply(multiplier, price);
        this.#open(book, { left: rest, worth: worthOf(rest), unit });
      }
      return profit;
    };
    const currency = row.currency ?? null;
    if (book.lots.length > 0) Object.assign(book, { contract, multiplier, currency: book.currency ?? currency });
    this.#unknown = false;
    const profit = trade(way, traded, true);
    const isComparable = row.realised !== undefined && !this.#unknown;
    if (way < 0 && sign(fee) !== 0) trade(-sign(fee), size(fee), false);
    if (book.lots.length > 0 && book.currency === null) book.currency = currency;
    const told = parse(row.realised ?? '');
    const differs = isComparable && compare(told, rounded(profit ?? NONE, placesOf(told))) !== 0;
    return { booked: true, profit: profit === null ? null : print(profit), differs };
  }

  #adjustment(row: SentRow): Outcome {
    const quantity = parse(row.quantity ?? '');
    if (sign(quantity) === 0) return REFUSED;
    const open = ['net', 'long', 'short'].map((side) => this.#book(row, side)).filter((book) => book.lots.length > 0);
    if (open.length > 1) return REFUSED;
    const book = open[0] ?? this.#book(row, 'net');
    const way = sign(quantity);
    const units = size(quantity);
    const cost = row.cost === undefined ? null : parse(row.cost);
    const { kind } = row;
    const held = heldBy(book);
    if (sign(held) > 0 && book.currency !== null && row.currency !== undefined && book.currency !== row.currency)
      return REFUSED;
    if (sign(held) === 0 || book.way === way) {
      if (kind === 'expiry') return REFUSED;
      if (way < 0 && !['opening', 'exercise', 'assignment'].includes(kind ?? '')) return REFUSED;
      if (sign(held) === 0) {
        Object.assign(book, { way, contract: null, multiplier: num(1n), currency: row.currency ?? null });
      }
      this.#open(book, { left: units, worth: cost ?? (kind === 'reward' ? NONE : null), unit: null });
      return FINE;
    }
    if (compare(units, held) > 0 || kind === 'opening') return REFUSED;
    if (kind === 'expiry' && cost === null && book.contract !== 'option') return REFUSED;
    const brought =
      kind === 'transfer' || (book.contract === null && kind !== 'reward')
        ? null
        : cost !== null
          ? cost
          : kind === 'expiry' || kind === 'reward'
            ? NONE
            : null;
    const profit = this.#close(book, units, brought, book.contract ?? 'spot');
    return { ...FINE, profit: profit === null ? null : print(profit) };
  }

  #split(row: SentRow): Outcome {
    const ratio = parse(row.ratio ?? '');
    let added = NONE;
    const books = ['net', 'long', 'short'].map((side) => this.#book(row, side));
    const split = (left: Num): Num => rounded(multiply(left, ratio), 18);
    const isLost = ({ left }: OracleLot): boolean =>
      sign(split(left)) === 0 || compare(split(left), num(10n ** 38n)) >= 0;
    if (books.some(({ lots }) => lots.some(isLost))) return REFUSED;
    for (const book of books) {
      const before = heldBy(book);
      book.lots = book.lots.map(({ left, worth }) => ({ left: split(left), worth, unit: null }));
      const more = subtract(heldBy(book), before);
      added = add(added, book.way < 0 ? negated(more) : more);
    }
    return { ...FINE, differs: compare(added, parse(row.quantity ?? '')) !== 0 };
  }

  #position(row: SentRow): Outcome {
    const side = row.position_side ?? 'net';
    const book = this.#book(row, side);
    const held = book.way < 0 ? negated(heldBy(book)) : heldBy(book);
    const told = parse(row.quantity ?? '');
    return { ...FINE, differs: compare(held, side === 'short' ? negated(size(told)) : told) !== 0 };
  }

  #open(book: Book, lot: OracleLot): void {
    const [old] = book.lots;
    if (!this.#average || old === undefined) {
      book.lots.push(lot);
      return;
    }
    const worth = old.worth === null || lot.worth === null ? null : add(old.worth, lot.worth);
    book.lots = [{ left: add(old.left, lot.left), worth, unit: null }];
  }

  /** The profit of units that leave for `brought`; null where they leave without a price, or are all of unknown cost. */
  #close(book: Book, units: Num, brought: Num | null, contract: string): Num | null {
    let rest = units;
    let cost = NONE;
    let known = NONE;
    while (sign(rest) > 0) {
      const [lot] = book.lots;
      if (lot === undefined) throw new Error('the oracle closes more than is held');
      const part = compare(rest, lot.left) < 0 ? rest : lot.left;
      if (lot.worth !== null) {
        const isAll = compare(part, lot.left) === 0;
        const worth = isAll
          ? lot.worth
          : lot.unit !== null
            ? multiply(lot.unit, part)
            : divide(multiply(lot.worth, part), lot.left);
        cost = add(cost, worth);
        known = add(known, part);
        lot.worth = subtract(lot.worth, worth);
      }
      lot.left = subtract(lot.left, part);
      if (sign(lot.left) === 0) book.lots.shift();
      rest = subtract(rest, part);
    }
    this.#unknown = compare(known, units) !== 0;
    if (brought === null || sign(known) === 0) return null;
    const share = this.#unknown ? divide(multiply(brought, known), units) : brought;
    const gain = subtract(share, cost);
    return book.way > 0 === (contract !== 'inverse') ? gain : negated(gain);
  }
}

/** Decimals of a number, without zeros at its end. */
function placesOf(a: Num): number {
  return (print(a).split('.')[1] ?? '').length;
}

function heldBy(book: Book): Num {
  return book.lots.reduce((sum, { left }) => add(sum, left), NONE);
}

/** A row of a bot's log. */
export interface OracleRow {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly data: SentRow;
}

export interface OracleEntry extends Outcome {
  /** Seq of the first row of a group of corrections, and of the one that counts. */
  readonly root: number;
  readonly row: number;
}

const ID: Readonly<Record<string, string>> = { fill: 'fill_id', cash_flow: 'flow_id', adjustment: 'adjustment_id' };

const isCancel = ({ data }: OracleRow): boolean => data.cancelled !== undefined;

function identity({ type, data }: OracleRow, id: string): string {
  return [type, data.venue, data.account, data.symbol, id].join('|');
}

/** Everything that the rows of one book come to, made from nothing. */
export function oracleBooks(rows: readonly OracleRow[], method: 'fifo' | 'average') {
  const kept = new Map<string, OracleRow>();
  const conflicts: number[] = [];
  for (const row of rows) {
    const own = `${isCancel(row) ? 'cancel' : ''}${identity(row, row.data[ID[row.type] ?? ''] ?? '')}`;
    const known = kept.get(own);
    if (known === undefined) kept.set(own, row);
    else if (JSON.stringify(known.data) !== JSON.stringify(row.data)) conflicts.push(row.seq);
  }
  // Follows corrections to the first row of their group; null where one on the way is missing, or they go in a circle.
  const rootOf = (row: OracleRow): OracleRow | null => {
    let at: OracleRow | undefined = row;
    for (let steps = 0; steps <= kept.size; steps++) {
      if (at === undefined) return null;
      const { revises, cancelled } = at.data;
      const names = cancelled === undefined ? revises : cancelled === 'true' ? (revises ?? at.data.fill_id) : cancelled;
      if (names === undefined) return at;
      at = kept.get(identity(at, names));
    }
    return null;
  };
  const groups = new Map<OracleRow, OracleRow>();
  const waiting: number[] = [];
  for (const row of [...kept.values()].sort((a, b) => a.seq - b.seq)) {
    const root = rootOf(row);
    if (root === null) waiting.push(row.seq);
    else if (root === row) groups.set(root, groups.get(root) ?? row);
    else groups.set(root, row);
  }
  const timeOf = ({ at, data }: OracleRow): number => (data.time === undefined ? at : Date.parse(data.time));
  const placed = [...groups]
    .filter(([, row]) => !isCancel(row))
    .map(([root, row]) => ({ root, row, at: row.data.time === undefined ? timeOf(root) : timeOf(row) }))
    .sort((a, b) => a.at - b.at || a.root.seq - b.root.seq);
  const oracle = new LedgerOracle(method);
  const sums = new Map<string, Num>();
  const count = (at: number, { data }: OracleRow, kind: string, amount: string): void => {
    const key = [Math.floor(at / 86_400_000), data.venue ?? '', data.account ?? '', data.symbol ?? '', kind].join('|');
    sums.set(key, add(sums.get(key) ?? NONE, parse(amount)));
  };
  const entries: OracleEntry[] = placed.map(({ root, row, at }) => {
    const outcome = oracle.take(row.type, row.data);
    if (outcome.profit !== null) count(at, row, 'realised', outcome.profit);
    if (outcome.booked && row.type === 'fill' && row.data.fee !== undefined) count(at, row, 'fill_fee', row.data.fee);
    if (row.type === 'cash_flow') count(at, row, row.data.kind ?? '', row.data.amount ?? '');
    return { ...outcome, root: root.seq, row: row.seq };
  });
  const shown = [...sums].filter(([, sum]) => sign(sum) !== 0).map(([key, sum]) => [key, print(sum)] as const);
  return { entries, conflicts, waiting, sums: Object.fromEntries(shown), positions: oracle.positions() };
}
