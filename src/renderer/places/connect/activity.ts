import type { AuditEntry } from '../../../contract/account.ts';

const MOST = 200;
const BY_MCP = 'mcp ';

/** True for what an assistant did over MCP, not a person here or on the command line. */
export function isAssistants(entry: Pick<AuditEntry, 'operation'>): boolean {
  return entry.operation.startsWith(BY_MCP);
}

/** What is known with what was read since, newest first, each entry once. The same list when nothing is new. */
export function merged(known: readonly AuditEntry[], read: readonly AuditEntry[]): readonly AuditEntry[] {
  const ids = new Set(known.map(({ audit_id }) => audit_id));
  const fresh = read.filter((entry) => isAssistants(entry) && !ids.has(entry.audit_id));
  if (fresh.length === 0) return known;
  return [...fresh, ...known].sort((a, b) => b.audit_id - a.audit_id).slice(0, MOST);
}

/** The tool or request of an entry, without the sign of MCP. */
export function toolOf({ operation }: Pick<AuditEntry, 'operation'>): string {
  return operation.slice(BY_MCP.length);
}

/** What came of a call, in a word, and whether that is good, bad or neither. */
export function outcomeOf({ outcome }: Pick<AuditEntry, 'outcome'>): {
  readonly word: string;
  readonly tone: 'good' | 'bad' | 'plain';
} {
  if (outcome === 'ok') return { word: 'Done', tone: 'good' };
  if (outcome === 'asked') return { word: 'Asked you', tone: 'plain' };
  if (outcome === 'declined') return { word: 'Declined', tone: 'plain' };
  return { word: outcome, tone: 'bad' };
}
