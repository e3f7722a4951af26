import { setImmediate as nextTurn } from 'node:timers/promises';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { LedgerModeSummary, LedgerSummaries, LedgerSummary } from '../../../contract/ledger.ts';
import { bookedRow } from '../ledger/checkpoints-and-entries.ts';
import { type Decimal, decimalText, storedDecimal, ZERO } from '../ledger/decimal.ts';
import type { LedgerReader, StoredBook } from '../ledger/ledger-reader.ts';
import { dayOf } from '../ledger/totals.ts';
import { dayInZone } from '../ledger/zoned-totals.ts';
import type { BotMasker } from './create-bot-masker.ts';
import type { LedgerForReading } from './ledger-for-reading.ts';
import { equityNow, named, positionsOf, shown, sumsOf } from './read-ledger.ts';

/** Longest time for the summaries of all bots. */
const DEADLINE_MS = 2000;

/** When a summary is read (ms since the epoch), and the zone whose day is today. */
export interface SummaryTime {
  readonly now: number;
  readonly zone: string;
}

interface Unrealised {
  readonly currency: string | null;
  readonly symbol: string | null;
  amount: Decimal;
  complete: boolean;
}

function unrealisedOf(positions: ReturnType<typeof positionsOf>['positions'], masker: BotMasker) {
  const sums = new Map<string, Unrealised>();
  for (const { currency, symbol, unrealised } of positions) {
    // Positions without a currency may be in any: those of two symbols are not added up.
    const key = JSON.stringify([currency, currency === null ? symbol : null]);
    const sum = sums.get(key) ?? {
      ...{ currency, amount: ZERO, complete: true },
      ...shown(masker, { symbol: currency === null ? symbol : null }),
    };
    if (unrealised === null) sum.complete = false;
    else sum.amount = sum.amount.plus(storedDecimal(unrealised));
    sums.set(key, sum);
  }
  return [...sums.values()].map((sum) => ({ ...sum, amount: decimalText(sum.amount) }));
}

function lastFill(reader: LedgerReader, book: StoredBook, masker: BotMasker): LedgerModeSummary['last_fill'] {
  const entry = reader.lastFill(book);
  const row = entry === null ? null : bookedRow(entry);
  if (entry === null || row?.type !== 'fill') return null;
  const { symbol } = shown(masker, { symbol: row.symbol });
  return {
    at: toTimestamp(entry.at),
    symbol: symbol ?? '',
    side: row.side,
    quantity: decimalText(row.quantity),
    price: decimalText(row.price),
  };
}

function modeSummary(reader: LedgerReader, book: StoredBook, masker: BotMasker, at: SummaryTime): LedgerModeSummary {
  const today = dayInZone(at.zone, at.now);
  const { positions } = positionsOf(reader, book);
  const { notBooked, conflicts } = reader.counts(book.id);
  const signals = reader.signals(book.id);
  return {
    mode: book.mode,
    today: sumsOf(reader.totals(book, at.zone, today, today), undefined).map(({ currency, symbol, realised, net }) => ({
      ...{ currency, realised, net },
      ...shown(masker, { symbol }),
    })),
    open_positions: positions.length,
    unrealised: unrealisedOf(positions, masker),
    equity: equityNow(reader, book, masker),
    last_fill: lastFill(reader, book, masker),
    last_signal:
      signals === null
        ? null
        : {
            at: toTimestamp(signals.at),
            side: signals.side,
            price: signals.price,
            ...shown(masker, { symbol: named(signals.symbol ?? '') }),
          },
    signals_today: signals?.day === dayOf(at.now) ? signals.count : 0,
    problems: notBooked + conflicts,
  };
}

/** The books of a bot in short, as of now. Null: the host has no ledger yet. */
export function readLedgerSummary(
  reader: LedgerReader | null,
  masker: BotMasker,
  botId: string,
  at: SummaryTime,
): LedgerSummary {
  if (reader === null) return [];
  return reader.atOnce(() => reader.books(botId).map((book) => modeSummary(reader, book, masker, at)));
}

/** The books of these bots in short; null for a bot whose books cannot be read. Other bots wait no longer than the deadline. */
export async function readLedgerSummaries(
  ledger: Pick<LedgerForReading, 'read'>,
  botIds: readonly string[],
  read: { readonly stopped: boolean },
  at: SummaryTime,
): Promise<LedgerSummaries> {
  const deadline = performance.now() + DEADLINE_MS;
  const items: LedgerSummaries['items'] = [];
  for (const bot_id of botIds) {
    if (read.stopped || performance.now() > deadline) return { items, incomplete: true };
    try {
      const found = ledger.read(bot_id, (reader, masker) => readLedgerSummary(reader, masker, bot_id, at));
      items.push({ bot_id, ledger: found });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      items.push({ bot_id, ledger: null });
    }
    await nextTurn();
  }
  return { items, incomplete: false };
}
