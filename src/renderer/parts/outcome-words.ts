import type { AuditEntry } from '../../contract/account.ts';

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
