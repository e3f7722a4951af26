import { nextRun, parseCron } from '../../src/shared/cron.ts';
import { oracleMinutes } from './cron-oracle.ts';
import type { SeededRandom } from './seeded-random.ts';

const EXPRESSIONS = 250;
const MOST_DIFFERENCES = 20;
const FIELD_RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const MONTH_NAMES = ['JAN', 'feb', 'Mar', 'APR', 'MAY', 'jun', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'dec'];
const DAY_NAMES = ['SUN', 'mon', 'Tue', 'WED', 'THU', 'FRI', 'SAT'];

function randomPart(random: SeededRandom, field: number): string {
  const [min, max] = FIELD_RANGES[field] ?? [0, 0];
  const a = min + random.below(max - min + 1);
  const b = a + random.below(max - a + 1);
  switch (random.below(6)) {
    case 0:
      return '*';
    case 1:
      return `*/${1 + random.below(max)}`;
    case 2:
      return `${a}-${b}`;
    case 3:
      return `${a}-${b}/${1 + random.below(7)}`;
    case 4:
      if (field === 3) return random.pick(MONTH_NAMES);
      return field === 4 ? random.pick(DAY_NAMES) : String(a);
    default:
      return String(a);
  }
}

function randomExpression(random: SeededRandom): string {
  const fields = FIELD_RANGES.map((_, field) => {
    if (field >= 2 && random.below(2) === 0) return '*';
    return Array.from({ length: 1 + random.below(3) }, () => randomPart(random, field)).join(',');
  });
  return fields.join(random.below(8) === 0 ? '\t' : ' ');
}

function neverComes(expression: string): boolean {
  try {
    parseCron(expression);
    return false;
  } catch (error) {
    if (error instanceof Error && error.message.includes('never comes')) return true;
    throw error;
  }
}

const randomDay = (random: SeededRandom): number => Date.UTC(1999 + random.below(110), random.below(12), 1);

/** What the comparison of the product's due times with those of the oracle has shown. */
export interface CronComparison {
  readonly calls: number;
  readonly expressions: number;
  /** In words; it ends early when there are many. */
  readonly differences: readonly string[];
}

/** Asks for the next run of random expressions, and of rare ones, at least so often, and compares with the oracle. */
export function compareWithOracle(random: SeededRandom, least: number): CronComparison {
  const differences: string[] = [];
  let calls = 0;
  const check = (expression: string, after: number, got: number | null, expected: number): void => {
    calls += 1;
    if (got !== expected) differences.push(`"${expression}" ${after}: ${got}, oracle ${expected}`);
  };
  const walk = (expression: string, from: number, days: number, most: number): void => {
    const schedule = parseCron(expression);
    const due = oracleMinutes(expression, from, from + days * 86_400_000);
    const start = random.below(Math.max(1, due.length - most));
    for (let i = start + 1; i < due.length && i < start + most; i++) {
      const before = (due[i - 1] ?? 0) * 60_000;
      const at = (due[i] ?? 0) * 60_000;
      const between = before + random.below(at - before);
      check(expression, between, nextRun(schedule, between), at);
      if (differences.length > MOST_DIFFERENCES) return;
    }
  };
  let expressions = 0;
  while ((expressions < EXPRESSIONS || calls < least) && differences.length <= MOST_DIFFERENCES) {
    const expression = randomExpression(random);
    if (neverComes(expression)) {
      const found = oracleMinutes(expression, Date.UTC(2024, 0, 1), Date.UTC(2028, 0, 1));
      if (found.length > 0) differences.push(`"${expression}" never comes, oracle ${found[0]}`);
      continue;
    }
    expressions += 1;
    walk(expression, randomDay(random), 800, 6000);
  }
  for (const rare of ['0 0 29 2 *', '59 23 29 FEB *', '0 12 29 2 1', '0 0 31 4,6 1', '5 4 30 2 7', '0 0 1 1 *']) {
    walk(rare, Date.UTC(1895 + random.below(4), 0, 1), 365 * 16, 6000);
    walk(rare, Date.UTC(2093 + random.below(4), 0, 1), 365 * 16, 6000);
  }
  return { calls, expressions, differences };
}
