// `npm run test:reliability`: runs the tests of reliability and security with all their rounds and puts what they have
// counted into docs/reliability.md. Arguments choose tests by the number of their row (`npm run test:reliability -- r18`), or
// by path as for vitest: rows that were not run stay as they are, but for those of tests that are gone. `--report` runs
// nothing and takes the results that are there.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'test-results/proof');
const REPORT = join(ROOT, 'docs/reliability.md');
const BEGIN = '<!-- Figures: written by scripts/reliability.ts -->';
const END = '<!-- End of figures -->';
/** Folders of the tests that call `prove`. */
const TESTS = ['test/reliability', 'test/security'];
const HEAD = '| row | case | counted and measured | rounds | day |\n|---|---|---|---|---|';

/** What `prove` of test/support/proof.ts has kept, and when. */
export interface Result {
  /** Name of the row and, where there are several, of the case. */
  readonly name: string;
  readonly what: string;
  readonly full: boolean;
  readonly figures: Readonly<Record<string, number | string>>;
  /** As `YYYY-MM-DD`. */
  readonly day: string;
}

function rowOf({ name, what, full, figures, day }: Result): string {
  const text = Object.entries(figures).map(([figure, value]) => {
    const shown = typeof value === 'number' ? value.toLocaleString('en-US') : value;
    return `${figure} **${shown}**`;
  });
  return `| ${name} | ${what} | ${text.join(', ')} | ${full ? 'all' : 'fewer'} | ${day} |`;
}

/** R before P before S, then by number, then by name; what has no number comes last. */
function orderOf(row: string): string {
  const [, letter, number = '', rest = ''] = /^\| ([RPS])(\d+)(\S*)/.exec(row) ?? [];
  return letter === undefined ? `9 ${row}` : `${'RPS'.indexOf(letter)} ${number.padStart(3, '0')} ${rest}`;
}

/**
 * Which names of rows tests with these texts make: those that stand in them, and those whose beginning does, before what a
 * test fills in (`R1-${engine}`).
 */
export function namesMadeBy(tests: readonly string[]): (name: string) => boolean {
  const written = tests.flatMap((text) => [...text.matchAll(/(['`])([\w-]+)(\1|\$\{)/g)]);
  const whole = new Set(written.filter(([, , , end]) => end !== '${').map(([, , name]) => name));
  const begun = written.filter(([, , , end]) => end === '${').map(([, , name = '']) => name);
  return (name) => whole.has(name) || begun.some((start) => start.includes('-') && name.startsWith(start));
}

/**
 * The report with the rows of these results in place of earlier ones of the same name; the others stay. Rows and results
 * that no test makes any more are left out.
 */
export function renewReport(
  report: string,
  results: readonly Result[],
  machine: string,
  isMade: (name: string) => boolean,
): string {
  const [before, rest] = report.split(BEGIN);
  const [old, after] = (rest ?? '').split(END);
  if (before === undefined || old === undefined || after === undefined)
    throw new Error(`${REPORT} has no place for figures: it needs the lines "${BEGIN}" and "${END}".`);
  const nameOf = (row: string): string => row.split(' ')[1] ?? '';
  const rows = new Map(
    old
      .split('\n')
      .filter((line) => line.startsWith('| ') && !HEAD.includes(line))
      .map((row) => [nameOf(row), row]),
  );
  for (const result of results) rows.set(result.name, rowOf(result));
  const made = [...rows].filter(([name]) => isMade(name)).map(([, row]) => row);
  const sorted = made.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return `${before}${BEGIN}\n${machine}\n\n${HEAD}\n${sorted.join('\n')}\n${END}${after}`;
}

function readResults(since: number): Result[] {
  const files = existsSync(RESULTS) ? readdirSync(RESULTS).filter((name) => name.endsWith('.json')) : [];
  return files.flatMap((file) => {
    const path = join(RESULTS, file);
    const at = statSync(path).mtimeMs;
    if (at < since) return [];
    const name = file.slice(0, -'.json'.length);
    return [{ ...JSON.parse(readFileSync(path, 'utf8')), name, day: new Date(at).toISOString().slice(0, 10) }];
  });
}

/** A test that may make rows of the report: its path and its text. */
interface RowTest {
  readonly path: string;
  readonly text: string;
}

function readTests(): RowTest[] {
  return TESTS.flatMap((dir) =>
    readdirSync(join(ROOT, dir))
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => ({ path: `${dir}/${name}`, text: readFileSync(join(ROOT, dir, name), 'utf8') })),
  );
}

/**
 * Arguments for vitest: the number of a row (`r18`, `S3`) becomes the paths of the tests that prove it; anything else
 * stays. Throws for a number that no test proves.
 */
export function testsFor(args: readonly string[], tests: readonly RowTest[]): string[] {
  return args.flatMap((arg) => {
    const [, letter, number] = /^([rps])0*(\d+)$/i.exec(arg) ?? [];
    if (letter === undefined) return [arg];
    const row = `${letter.toUpperCase()}${number}`;
    const proves = new RegExp(`prove\\(\\s*'${row}'`);
    const paths = tests.filter(({ text }) => proves.test(text)).map(({ path }) => path);
    if (paths.length === 0) throw new Error(`No test proves row ${row} of docs/reliability.md.`);
    return paths;
  });
}

function describeMachine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  const parts = [`${process.platform} ${release()}`, `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'})`];
  return `Last measured on ${parts.join(', ')}, ${memory} GB of memory, Node ${process.versions.node}.`;
}

function main(): void {
  const args = process.argv.slice(2);
  const tests = readTests();
  const reportOnly = args[0] === '--report';
  const begun = reportOnly ? 0 : Date.now();
  if (!reportOnly) {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const env = { ...process.env, PLATFORM_TEST_ROUNDS: process.env.PLATFORM_TEST_ROUNDS ?? 'full' };
    const run = spawnSync(process.execPath, [vitest, 'run', '--project', 'trust', ...testsFor(args, tests)], {
      cwd: ROOT,
      env,
      stdio: 'inherit',
    });
    // Rows that passed are recorded even when others failed.
    process.exitCode = run.status ?? 1;
  }
  const results = readResults(begun);
  if (results.length === 0) {
    console.error('No test has left results: nothing is written.');
    process.exitCode ||= 1;
    return;
  }
  writeFileSync(
    REPORT,
    renewReport(readFileSync(REPORT, 'utf8'), results, describeMachine(), namesMadeBy(tests.map(({ text }) => text))),
  );
  console.log(`${results.length} rows of ${REPORT} are new.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
