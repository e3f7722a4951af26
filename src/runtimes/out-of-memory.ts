import { DESCRIPTORS } from './all.ts';

/** Words of any language for a failed allocation. */
export const OUT_OF_MEMORY_WORDS: readonly RegExp[] = DESCRIPTORS.flatMap(({ failure }) => failure?.outOfMemory ?? []);

/** Returns the words of a failed allocation in a line; null for other lines. */
export function outOfMemoryIn(line: string): string | null {
  for (const words of OUT_OF_MEMORY_WORDS) {
    const found = words.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}
