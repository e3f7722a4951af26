import type { KeyScope } from '../../contract/account.ts';

/** A scope of a key as one choice. */
export interface ScopeWords {
  readonly value: KeyScope;
  readonly label: string;
  readonly about: string;
}

/** Permissions of keys, from the least to the most. */
export const SCOPES: readonly ScopeWords[] = [
  { value: 'read', label: 'Read', about: 'Sees bots, logs, metrics and state, and asks bots. Changes nothing.' },
  { value: 'deploy', label: 'Run bots', about: 'Also publishes, deploys, changes, stops and deletes bots.' },
  {
    value: 'full',
    label: 'Everything',
    about: 'All that you may do here, but no changes of users, keys or passwords.',
  },
];

/** The label of a scope. */
export function scopeWord(scope: KeyScope): string {
  return SCOPES.find(({ value }) => value === scope)?.label ?? scope;
}
