import type { AuditEntry } from '../../contract/account.ts';
import type { Input, Output } from '../../contract/operations.ts';

/** Prefix that the operation of every assistant's call has. */
const BY_MCP = 'mcp ';
/** Entries that are shown more at once. */
const SHOWN = 50;
const READ_AT_ONCE = 500;
/** Pages to read for the next shown entries: assistants' reads lie between and may be most of it. */
const MOST_READS = 10;

/** True for what an assistant did over MCP, not a person here or on the command line. */
export function isAssistants(entry: Pick<AuditEntry, 'operation'>): boolean {
  return entry.operation.startsWith(BY_MCP);
}

/** A part of the audit trail, newest first, with the position of older entries; null without any. */
export interface TrailPage {
  readonly entries: readonly AuditEntry[];
  readonly before: number | null;
}

/** What of the trail is shown. */
export type AuditChoice = Pick<Input<'audit.list'>, 'by' | 'bot' | 'action' | 'date_range'>;

/** True for a choice that leaves nothing out. */
export function isAnything(choice: AuditChoice): boolean {
  return Object.values(choice).every((value) => value === undefined);
}

type ReadAudit = (input: Input<'audit.list'>) => Promise<Output<'audit.list'>>;

/**
 * Reads the next chosen entries before `before`, null the newest. The calls of assistants are left out unless a key or
 * assistants are chosen: of one that reads all day they are most of the trail.
 */
export async function readTrail(read: ReadAudit, before: number | null, choice: AuditChoice = {}): Promise<TrailPage> {
  const entries: AuditEntry[] = [];
  const areLeftOut = choice.by === undefined || choice.by === 'person';
  let from = before;
  for (let reads = 0; reads < MOST_READS; reads++) {
    const { items } = await read({ limit: READ_AT_ONCE, ...choice, ...(from === null ? {} : { before: from }) });
    for (const entry of items) {
      if (areLeftOut && isAssistants(entry)) continue;
      if (entries.length === SHOWN) return { entries, before: entries.at(-1)?.audit_id ?? null };
      entries.push(entry);
    }
    if (items.length < READ_AT_ONCE) return { entries, before: null };
    from = items.at(-1)?.audit_id ?? null;
  }
  return { entries, before: from };
}

/** Merges newly read entries with known older ones. Answers may arrive in another order than their requests. */
export function withNewest(known: TrailPage | null, newest: TrailPage): TrailPage {
  const from = newest.before;
  const top = known?.entries[0]?.audit_id;
  if (known === null || (from !== null && (top === undefined || top < from))) return newest;
  const all = new Map([...known.entries, ...newest.entries].map((entry) => [entry.audit_id, entry]));
  const entries = [...all.values()].sort((a, b) => b.audit_id - a.audit_id);
  const ends = known.before === null || from === null;
  return { entries, before: ends ? null : Math.min(known.before, from) };
}

/** Appends entries before `from`; unchanged if the known part no longer reaches there. */
export function withOlder(known: TrailPage | null, from: number | null, older: TrailPage): TrailPage | null {
  if (known === null || known.before !== from) return known;
  return { entries: [...known.entries, ...older.entries], before: older.before };
}

/** Returns the text for an empty part of the trail; `before` is the position of older entries. */
export function noEntries(before: number | null, isOfAll: boolean): string {
  if (before !== null) return 'Nothing among the newest entries, which are all of assistants.';
  return isOfAll ? 'Nothing yet.' : 'Nothing that this holds for.';
}
