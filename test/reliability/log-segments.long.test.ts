import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOG_FAULT_POINTS } from '../../src/node/fault-point.ts';
import { Fault } from '../support/fault.ts';
import { logRows } from '../support/log-files.ts';
import { readerOf } from '../support/log-here.ts';
import { noise } from '../support/noise.ts';
import { prove, rounds } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';

const KILLS = rounds(1, 10);
/** A commit, of which a segment holds one or two, stores up to 8,000: each kill needs a segment. */
const LINES = rounds(24_000, 120_000);
const SERIES = { type: 'count', field: 'value', symbol: '' };
const PROGRAM = join(import.meta.dirname, '../support/log-host.ts');

const isMetric = (at: number): boolean => at % 10 === 0;

function output(): string {
  const lines = Array.from({ length: LINES }, (_, at) =>
    isMetric(at) ? `{"_metric":"count","value":${at}}` : `line ${at} ${noise(at, 530)}`,
  );
  return `${lines.join('\n')}\n`;
}

/** Numbers of what the log holds, in the order of their seqs; which none has twice. */
function stored(dataDir: string): number[] {
  const sql = `select seq, cast(substr(line, 6) as int) number from log where line glob 'line *'
    union all select seq, cast(data ->> 'value' as int) from metric order by seq`;
  const rows = [...logRows<{ seq: number; number: number }>(dataDir, 'bot_1', sql)];
  const seqs = rows.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  return rows.map(({ number }) => number);
}

it.each(LOG_FAULT_POINTS)(
  'a host that is killed at %s loses no line, doubles none, and counts each metric once',
  async (point) => {
    const dataDir = tempDir('log-segments-');
    const bot = join(dataDir, 'bots/bot_1');
    const spool = join(bot, 'runs/run_1/bot.out');
    mkdirSync(join(spool, '..'), { recursive: true });
    writeFileSync(spool, output());
    const keepsAll = !point.startsWith('unlink');
    const bytes = keepsAll ? `${LINES * 700}` : '1500000';
    const fault = new Fault();
    const host = () =>
      spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, dataDir, spool, bytes], {
        env: { ...process.env, ...fault.env },
        encoding: 'utf8',
      });
    let kills = 0;
    fault.set(point);
    for (let round = 0; round < KILLS; round++) {
      const { signal, stderr, status } = host();
      expect([stderr, signal === null ? status : signal]).toEqual(['', kills === 0 || signal !== null ? 'SIGKILL' : 0]);
      if (signal !== null) kills += 1;
    }
    fault.set(null);
    expect(host()).toMatchObject({ stderr: '', status: 0 });

    const numbers = stored(dataDir);
    const first = numbers[0] ?? -1;
    expect(numbers).toEqual(Array.from({ length: LINES - first }, (_, at) => first + at));
    expect(first === 0).toBe(keepsAll);
    const log = readerOf(bot);
    const metrics = LINES / 10;
    expect(log.charts.pointCount('minute', SERIES, 0, Date.now() * 2)).toBe(metrics);
    const [hours] = [log.charts.rollups('hour', SERIES, 0, Date.now() * 2)];
    expect(hours.reduce((sum, hour) => sum + hour.sum, 0)).toBe((metrics * (metrics - 1) * 10) / 2);
    expect([Math.min(...hours.map(({ min }) => min)), Math.max(...hours.map(({ max }) => max))]).toEqual([
      0,
      LINES - 10,
    ]);
    expect(log.metricTypes()).toMatchObject([{ type: 'count', n: metrics }]);
    const totals = log.totals();
    expect([totals.get(1) ?? 0, totals.get(4) ?? 0]).toEqual([
      numbers.filter((number) => !isMetric(number)).length,
      numbers.filter(isMetric).length,
    ]);
    log.release();
    const names = readdirSync(bot);
    const left = names.filter(
      (name) => name.includes('.part') || (/-(wal|shm)$/.test(name) && !names.includes(name.slice(0, -4))),
    );
    expect(left).toEqual([]);
    await prove(
      'R3',
      `killed at ${point}`,
      { kills, lines: LINES, lost: 0, doubled: 0 },
      `R3-${point.replace(':', '-')}`,
    );
  },
);
