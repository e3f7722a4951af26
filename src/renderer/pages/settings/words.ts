import type { ImageInfo } from '../../../contract/host.ts';
import { statusWords } from '../../../shared/status-words.ts';

/** Returns the name of an isolated aspect as a word of its own: `CPU`, `Files`. */
export function aspectWord(aspect: string): string {
  return aspect === 'cpu' ? 'CPU' : aspect.charAt(0).toUpperCase() + aspect.slice(1);
}

/** Returns the progress of a pull, from 0 to 1; null while no size is known. */
export function shareOf(pull: NonNullable<ImageInfo['pull']>): number | null {
  const sized = pull.layers.filter(({ total }) => total !== null && total > 0);
  const total = sized.reduce((sum, layer) => sum + (layer.total ?? 0), 0);
  if (total === 0) return null;
  return Math.min(1, sized.reduce((sum, { current, total: most }) => sum + Math.min(current, most ?? 0), 0) / total);
}

/** Bots by their state, in words: `2 running, 1 scheduled`. */
export function botsInWords(bots: Readonly<Record<string, number>>): string {
  const parts = Object.entries(bots)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${statusWords(status)}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
