import type { KeyScope } from '../../contract/account.ts';

/** What a key may do, as one answer of a choice. */
export interface ScopeWords {
  readonly value: KeyScope;
  readonly word: string;
  readonly about: string;
}

/** What keys may do, from the least to the most. */
export const SCOPES: readonly ScopeWords[] = [
  { value: 'read', word: 'Read', about: 'Sees bots, logs, metrics and state, and asks bots. Changes nothing.' },
  { value: 'deploy', word: 'Run bots', about: 'Also publishes, deploys, changes, stops and deletes bots.' },
  { value: 'full', word: 'Everything', about: 'All that you may do here, keys and users included.' },
];

/** The word for a scope. */
export function scopeWord(scope: KeyScope): string {
  return SCOPES.find(({ value }) => value === scope)?.word ?? scope;
}
