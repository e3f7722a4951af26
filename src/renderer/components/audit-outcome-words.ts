import type { AuditEntry } from '../../contract/account.ts';

/** Returns the outcome of a call in a word, and whether that is good, bad or neither. */
export function outcomeOf({ outcome }: Pick<AuditEntry, 'outcome'>): {
  readonly label: string;
  readonly tone: 'good' | 'bad' | 'plain';
} {
  if (outcome === 'ok') return { label: 'Done', tone: 'good' };
  if (outcome === 'asked') return { label: 'Asked you', tone: 'plain' };
  if (outcome === 'waiting') return { label: 'Waits for you', tone: 'plain' };
  if (outcome === 'declined') return { label: 'Declined', tone: 'plain' };
  return { label: outcome, tone: 'bad' };
}
