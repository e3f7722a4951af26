import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** `full`: as often as docs/reliability.md reports (`npm run test:reliability`). A number: no more than that, on the way there. */
const asked = process.env.PLATFORM_TEST_ROUNDS ?? '';
/** Whether this run makes the figures of the report. */
export const fullRounds = asked === 'full';
const most = /^\d+$/.test(asked) ? Number(asked) : null;

/** How often a test repeats its case: `few` in every run of the tests, `all` where the figures of the report are made. */
export function rounds(few: number, all: number): number {
  if (most !== null) return Math.max(few, Math.min(most, all));
  return fullRounds ? all : few;
}

/**
 * Whether this run looks at every variant (`npm run test:all`, and the full rounds). One that differs from another only in
 * what further tests show as well, or that takes long and is seldom touched, is left to such a run.
 */
export const everyVariant = fullRounds || process.env.MODE === 'all';

/** The variants of this run: the first ones always, the further ones where every variant is looked at. */
export function variants<T>(always: readonly T[], further: readonly T[]): readonly T[] {
  return everyVariant ? [...always, ...further] : always;
}

/** Figures of a row: their names in the order of the report, with counts or measurements. */
export type Figures = Readonly<Record<string, number | string>>;

const PROOFS = resolve(import.meta.dirname, '../../test-results/proof');

/**
 * Keeps the figures of a row for the report, in `test-results/proof/<row>.json`, one file for each row and case. They are
 * counted by the test, which asserts them as well: the report shows what was asserted, it judges nothing. `sofar`: not all
 * rounds are done; a test of hours that is cut short has shown this much, and one that fails takes it back.
 */
export async function prove(row: string, what: string, figures: Figures, name = row, sofar = false): Promise<void> {
  await mkdir(PROOFS, { recursive: true });
  const text = JSON.stringify({ row, what, full: fullRounds && !sofar, figures }, null, 2);
  await writeFile(join(PROOFS, `${name}.json`), `${text}\n`);
}

/** Removes the figures of a row. */
export async function disprove(name: string): Promise<void> {
  await rm(join(PROOFS, `${name}.json`), { force: true });
}
