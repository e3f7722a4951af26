import type { ImageInfo } from '../../../contract/host.ts';

/** Returns the progress of a pull, from 0 to 1; null while no size is known. */
export function shareOf(pull: NonNullable<ImageInfo['pull']>): number | null {
  const sized = pull.layers.filter(({ total }) => total !== null && total > 0);
  const total = sized.reduce((sum, layer) => sum + (layer.total ?? 0), 0);
  if (total === 0) return null;
  return Math.min(1, sized.reduce((sum, { current, total: most }) => sum + Math.min(current, most ?? 0), 0) / total);
}
