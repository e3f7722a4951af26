import { statusWords } from '../../../shared/status-words.ts';

/** Bots by their state, in words: `2 running, 1 scheduled`. */
export function botCountsByState(bots: Readonly<Record<string, number>>): string {
  const parts = Object.entries(bots)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${statusWords(status)}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
