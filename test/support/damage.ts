import { closeSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import type { SeededRandom } from './seeded-random.ts';

const PAGE = 4096;
/** In the header of every SQLite file. */
const USER_VERSION_AT = 60;

/** Ways in which a database file comes to harm: a bad sector, a lost write, a cut by a full or failing disk. */
export const DAMAGES = ['header', 'version', 'page', 'zeroed', 'cut'] as const;
export type Damage = (typeof DAMAGES)[number];

/** Harms a database file, at a place that the seed decides; tells where. */
export function damage(file: string, kind: Damage, random: SeededRandom): string {
  const { size } = statSync(file);
  const pages = Math.max(1, Math.floor(size / PAGE));
  const fd = openSync(file, 'r+');
  const noise = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, () => random.below(256)));
  try {
    if (kind === 'cut') {
      const left = random.below(size);
      ftruncateSync(fd, left);
      return `cut to ${left} of ${size} bytes`;
    }
    if (kind === 'header') {
      writeSync(fd, noise(100), 0, 100, 0);
      return 'noise in the header';
    }
    if (kind === 'version') {
      writeSync(fd, Buffer.alloc(4), 0, 4, USER_VERSION_AT);
      return 'the version of its schema is 0';
    }
    const page = random.below(pages);
    writeSync(fd, kind === 'page' ? noise(PAGE) : Buffer.alloc(PAGE), 0, PAGE, page * PAGE);
    return `${kind} ${page} of ${pages}`;
  } finally {
    closeSync(fd);
  }
}
