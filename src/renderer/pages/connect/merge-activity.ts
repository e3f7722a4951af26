import type { AuditEntry } from '../../../contract/account.ts';
import { isAssistants } from '../../data/audit-trail.ts';

const MOST = 200;

/** Merges known and newly read entries, newest first, each once. Returns the same list when nothing is new. */
export function merged(known: readonly AuditEntry[], read: readonly AuditEntry[]): readonly AuditEntry[] {
  const ids = new Set(known.map(({ audit_id }) => audit_id));
  const fresh = read.filter((entry) => isAssistants(entry) && !ids.has(entry.audit_id));
  if (fresh.length === 0) return known;
  return [...fresh, ...known].sort((a, b) => b.audit_id - a.audit_id).slice(0, MOST);
}
