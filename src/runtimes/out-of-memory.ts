import { DESCRIPTORS } from './all.ts';

/** Words of any language for a failed allocation. */
export const OUT_OF_MEMORY_WORDS: readonly RegExp[] = DESCRIPTORS.flatMap(({ failure }) => failure?.outOfMemory ?? []);

/** Returns the words of a failed allocation among the lines of an error; null without any. */
export function outOfMemoryIn(lines: readonly string[]): string | null {
  for (const line of lines) {
    for (const words of OUT_OF_MEMORY_WORDS) {
      const found = words.exec(line)?.[1];
      if (found !== undefined) return found;
    }
  }
  return null;
}
