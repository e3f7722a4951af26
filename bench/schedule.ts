/**
 * The next due time of a schedule: what one call costs beside node-cron, and how often it differs from a second reading of
 * the same expressions that looks at every minute, and from systemd where it is there.
 * Usage: node bench/schedule.ts [--quick] [--json FILE] [calls=1000000]
 */
import { spawnSync } from 'node:child_process';
import { createTask } from 'node-cron';
import { nextRun, parseCron } from '../src/shared/cron.ts';
import { compareWithOracle } from '../test/support/cron-differences.ts';
import { SeededRandom } from '../test/support/seeded-random.ts';
import { Bench } from './support/bench.ts';
import { median } from './support/figures.ts';

const bench = new Bench({ calls: [1_000_000, 50_000] });
const { calls } = bench.sizes;
const EXPRESSIONS = [
  '*/5 * * * *',
  '0 9 * * 1-5',
  '30 14 * * 1-5',
  '0 0 1 1 *',
  '15,45 8-17 * * MON,WED',
  '0 0 29 2 *',
];
/** The same in systemd's words. */
const CALENDAR: Readonly<Record<string, string>> = {
  '*/5 * * * *': '*-*-* *:0/5:00',
  '0 9 * * 1-5': 'Mon..Fri *-*-* 09:00:00',
  '30 14 * * 1-5': 'Mon..Fri *-*-* 14:30:00',
  '0 0 1 1 *': '*-01-01 00:00:00',
  '15,45 8-17 * * MON,WED': 'Mon,Wed *-*-* 08..17:15,45:00',
  '0 0 29 2 *': '*-02-29 00:00:00',
};

/** Microseconds of one call. */
function each(count: number, work: (n: number) => unknown): number {
  const begun = performance.now();
  for (let n = 0; n < count; n += 1) work(n);
  return ((performance.now() - begun) * 1000) / count;
}

const begun = Date.UTC(2026, 0, 1);
const ours: number[] = [];
const peer: number[] = [];
const schedules = EXPRESSIONS.map((text) => parseCron(text));
const tasks = EXPRESSIONS.map((text) => createTask(text, () => undefined, { timezone: 'UTC' }));
// A task that was not started has no next run.
for (const task of tasks) await task.start();
for (let round = 0; round < 5; round += 1) {
  for (const schedule of schedules) ours.push(each(20_000, (n) => nextRun(schedule, begun + n * 86_461_000)));
  for (const task of tasks) peer.push(each(20, () => task.getNextRun()));
}
for (const task of tasks) await task.destroy();
bench.row({
  row: 'next-run',
  title: 'Next due time of a schedule, p50',
  unit: 'µs',
  ours: median(ours),
  peer: { name: 'node-cron', value: median(peer) },
});

bench.mark();
const compared = compareWithOracle(new SeededRandom(20_261_120), calls);
bench.row({
  row: 'cron-differences',
  title: `Differences in ${compared.calls.toLocaleString('en-US')} calls to a minute-by-minute reading`,
  unit: 'differences',
  ours: compared.differences.length,
  bounds: [{ of: 'ours', most: 0 }],
  note: `${compared.expressions} random expressions`,
});

/** Due times by systemd after an instant, ms. */
function bySystemd(calendar: string, iterations: number, after: number): number[] | null {
  const base = `--base-time=${new Date(after).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const args = ['calendar', `--iterations=${iterations}`, base, calendar];
  const { status, stdout } = spawnSync('systemd-analyze', args, {
    encoding: 'utf8',
    env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' },
  });
  if (status !== 0) return null;
  return [...stdout.matchAll(/(?:elapse|#\d+): \w+ (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g)].map((found) =>
    Date.parse(`${found[1]}T${found[2]}Z`),
  );
}

bench.mark();
let checked = 0;
let different = 0;
for (const text of EXPRESSIONS) {
  const schedule = parseCron(text);
  let after = begun;
  for (const at of bySystemd(CALENDAR[text] ?? '', text === '0 0 29 2 *' ? 10 : 500, begun) ?? []) {
    checked += 1;
    const next = nextRun(schedule, after);
    if (next !== at) different += 1;
    after = at;
  }
}
if (checked > 0) {
  bench.row({
    row: 'cron-systemd',
    title: `Differences in ${checked.toLocaleString('en-US')} due times to systemd`,
    unit: 'differences',
    ours: different,
    bounds: [{ of: 'ours', most: 0 }],
  });
}
bench.done();
