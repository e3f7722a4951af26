import { toTimestamp } from '../../../contract/common.ts';
import type { LedgerConflict, LedgerConflicts, LedgerConflictsQuery } from '../../../contract/ledger-upkeep.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { damage } from '../../../node/storage-error.ts';
import { isIdentified } from '../ledger/checkpoints-and-entries.ts';
import type { LedgerReader, StoredConflict } from '../ledger/ledger-reader.ts';
import { readRow } from '../ledger/read-row.ts';
import { differentFields, type IdentifiedRow } from '../ledger/row-identity.ts';
import type { LedgerType } from '../ledger/vocabulary.ts';
import type { BotMasker } from './create-bot-masker.ts';
import { named, shown, shownText } from './read-ledger.ts';

function rowOf(type: LedgerType, text: string, seq: number): IdentifiedRow {
  const { row } = readRow(type, text, seq);
  if (row === null || !isIdentified(row)) throw damage('a row of a conflict is not as it was stored');
  return row;
}

function wireConflict(stored: StoredConflict, masker: BotMasker): LedgerConflict {
  const counts = rowOf(stored.type, stored.first_text, stored.first);
  const other = rowOf(stored.type, stored.text, stored.seq);
  const { fill_id, symbol, account } = shown(masker, {
    ...{ fill_id: other.id, symbol: named(other.symbol ?? ''), account: named(other.account) },
  });
  return {
    ...{ mode: stored.mode, type: stored.type, id: fill_id ?? '', symbol, account },
    fields: differentFields(counts, other),
    counts: { seq: stored.first, at: toTimestamp(stored.first_at), row: shownText(stored.first_text, masker) },
    other: { seq: stored.seq, at: toTimestamp(stored.at), row: shownText(stored.text, masker) },
  };
}

/** Rows of a bot that have the id of another one and say something else, the newest first. Null: the host has no ledger yet. */
export function readLedgerConflicts(
  reader: LedgerReader | null,
  masker: BotMasker,
  { bot_id, before, limit = LIMITS.logsDefault }: LedgerConflictsQuery,
): LedgerConflicts {
  const found = reader?.books(bot_id).flatMap((book) => reader.conflicts(book, before ?? null, limit + 1)) ?? [];
  const page = found.sort((a, b) => b.seq - a.seq).slice(0, limit);
  return {
    bot_id,
    conflicts: page.map((conflict) => wireConflict(conflict, masker)),
    older_before: found.length > limit ? (page.at(-1)?.seq ?? null) : null,
  };
}
