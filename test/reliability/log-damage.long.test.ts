import { appendFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFailed } from 'vitest';
import type { LogEntry } from '../../src/contract/telemetry.ts';
import { createTelemetry } from '../../src/main/host/logs/create-telemetry.ts';
import type { SpoolFile, Telemetry } from '../../src/main/host/logs/telemetry-types.ts';
import { builtWorker } from '../support/built-worker.ts';
import { DAMAGES, type Damage, damage } from '../support/damage.ts';
import { logFiles, rowsOf } from '../support/log-files.ts';
import { noise } from '../support/noise.ts';
import { everyVariant, prove, rounds, variants } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp.ts';
import { until } from '../support/until.ts';

const BOT = 'bot_01';
/** Three full blocks; on a busy machine more blocks hold them. */
const LINES = 12_000;
const MANY = 16_000;

function spool(dataDir: string, runId: string): SpoolFile {
  const path = join(dataDir, 'bots', BOT, 'runs', runId, 'bot.out');
  mkdirSync(dirname(path), { recursive: true });
  return { botId: BOT, runId, path, source: 'stdout' };
}

const line = (prefix: string, at: number): string => `${prefix} ${at} ${noise(at, 176)}`;

const lines = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${line(prefix, at)}\n`).join('');

/** The whole log, page by page; one that is being replaced is read again. */
async function whole(telemetry: Telemetry): Promise<LogEntry[]> {
  const all: LogEntry[] = [];
  for (let after = 0; ; ) {
    const { entries } = await telemetry.logs({ bot_id: BOT, after, limit: 1000 });
    const last = entries.at(-1);
    if (last === undefined) return all;
    all.push(...entries);
    after = last.seq;
  }
}

/** How many lines each block of a segment holds. */
function blockSizes(file: string): number[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare<[], number>('select n from line_block').pluck().all();
  } finally {
    db.close();
  }
}

interface Outcome {
  readonly aside: boolean;
  /** Lines that were there before and still are. */
  readonly kept: number;
}

async function harm(kind: Damage, isUp: boolean, random: SeededRandom): Promise<Outcome> {
  const dataDir = tempDir('log-damage-');
  const errors: string[] = [];
  const start = (): Promise<Telemetry> =>
    createTelemetry({ dataDir, startWorker: builtWorker, onError: (error) => errors.push(error.message) });
  let telemetry = await start();
  try {
    const first = spool(dataDir, 'run_01');
    appendFileSync(first.path, lines('before', LINES));
    await telemetry.openBot(BOT, []);
    await telemetry.attach(first);
    await telemetry.finish(BOT, 'run_01');
    const newest = (await whole(telemetry)).at(-1)?.seq ?? 0;
    const log = join(dataDir, 'bots', BOT, 'log.db');
    // All of it is in the file itself once the last connection is closed.
    await telemetry.close();
    const blocks = blockSizes(log);
    if (isUp) {
      telemetry = await start();
      await telemetry.openBot(BOT, []);
      await telemetry.logs({ bot_id: BOT, limit: 1 });
    }
    const where = damage(log, kind, random);
    if (!isUp) {
      telemetry = await start();
      await telemetry.openBot(BOT, []);
    }
    // Lines written before the damage is noticed share its fate: the file is set aside as a whole.
    await until(`the log to be read again (${where})`, () => whole(telemetry).catch(() => null));
    const isAside = (): boolean => readdirSync(dirname(log)).some((name) => /^log\.db\.corrupt-\d+$/.test(name));
    // The damage may be noticed at any time, e.g. by retention: then what was written and read meanwhile is done again.
    let aside: boolean;
    let all: LogEntry[];
    let turn = 'after 1';
    for (;;) {
      aside = isAside();
      const next = spool(dataDir, `run of ${turn}`);
      appendFileSync(next.path, lines(turn, 50));
      await telemetry.attach(next);
      await telemetry.finish(BOT, next.runId);
      all = await until(`the log to be whole again (${where})`, () => whole(telemetry).catch(() => null));
      if (isAside() === aside) break;
      turn = 'after 2';
    }
    const after = all.filter(({ message }) => message.startsWith(`${turn} `));
    expect([where, after.length, new Set(after.map(({ message }) => message)).size]).toEqual([where, 50, 50]);
    expect(Math.min(...after.map(({ seq }) => seq)), where).toBeGreaterThan(newest);
    const stood = new Set(Array.from({ length: LINES }, (_, at) => line('before', at)));
    const before = all.filter(({ message }) => stood.has(message)).length;
    expect([where, all.filter(({ message }) => message.startsWith('before ')).length]).toEqual([where, before]);
    const warning = all.find(({ level, message }) => level === 'warn' && message.includes('was damaged'));
    const told = [warning !== undefined, errors.some((text) => text.includes('was damaged'))];
    const harmed = aside || before < LINES;
    expect([where, before, ...told]).toEqual([where, before, harmed, harmed]);
    // Nothing in between: all lines are there as they were, or one block is lost, or the file is aside; and that is said.
    if (!aside && before < LINES) expect([where, blocks]).toEqual([where, expect.arrayContaining([LINES - before])]);
    // Numbers are never reused, so a reader of the old file never meets a new one of its name.
    expect([where, logFiles(dataDir, BOT).includes(log)]).toEqual([where, !aside]);
    return { aside, kept: before };
  } finally {
    await telemetry.close();
  }
}

describe('R4: a damaged log database', () => {
  it.each(everyVariant ? DAMAGES : DAMAGES.filter((kind) => kind !== 'zeroed'))(
    '(%s) is set aside, the bot goes on, and its owner is warned',
    async (kind) => {
      const seed = testSeed();
      onTestFailed(() => console.error(`TEST_SEED=${seed}`));
      const random = new SeededRandom(seed);
      const figures = { rounds: 0, 'set aside': 0, 'one block lost': 0, unharmed: 0 };
      for (let round = 0; round < rounds(1, 15); round++) {
        for (const isUp of [false, true]) {
          const { aside, kept } = await harm(kind, isUp, random);
          figures.rounds += 1;
          if (aside) figures['set aside'] += 1;
          else if (kept < LINES) figures['one block lost'] += 1;
          else figures.unharmed += 1;
        }
      }
      await prove('R4', `log database damaged: ${kind}`, figures, `R4-${kind}`);
    },
  );

  it.each(
    variants<'the oldest' | 'one in the middle' | 'the newest' | 'the rollups'>(
      ['the oldest', 'the newest', 'the rollups'],
      ['one in the middle'],
    ),
  )('in many segments: %s is set aside alone, and no line of the others is lost or doubled', async (which) => {
    const random = new SeededRandom(testSeed());
    const dataDir = tempDir('log-damage-');
    const errors: string[] = [];
    const retention = { days: 30, bytes: 4 * 1024 * 1024 };
    const start = async (): Promise<Telemetry> => {
      const telemetry = await createTelemetry({
        dataDir,
        retention,
        startWorker: builtWorker,
        onError: ({ message }) => errors.push(message),
      });
      await telemetry.openBot(BOT, []);
      return telemetry;
    };
    const out = spool(dataDir, 'run_01');
    const metrics = Array.from({ length: 20 }, (_, at) => `{"_metric":"price","value":${at}}\n`).join('');
    appendFileSync(out.path, `${metrics}${lines('line', MANY)}`);
    let telemetry = await start();
    await telemetry.attach(out);
    await until('all lines', async () => (await telemetry.summary(BOT)).total === MANY);
    const dir = dirname(logFiles(dataDir, BOT)[0] ?? '');
    await until('rollups', () => existsSync(join(dir, 'rollups.db')));
    const newest = (await whole(telemetry)).at(-1)?.seq ?? 0;
    await telemetry.close();
    const files = logFiles(dataDir, BOT);
    expect(files.length).toBeGreaterThan(2);
    const chosen = {
      'the oldest': files[0],
      'one in the middle': files[Math.floor(files.length / 2)],
      'the newest': files.at(-1),
      'the rollups': join(dir, 'rollups.db'),
    }[which];
    if (chosen === undefined) throw new Error('there are no segments');
    const sql = "select cast(substr(line, 6) as int) number from log where line glob 'line *'";
    const gone = which === 'the newest' || which === 'the rollups' ? [] : [...rowsOf<{ number: number }>(chosen, sql)];
    // Files left by the last reader would repair the database.
    const sound = new Database(chosen);
    sound.pragma('wal_checkpoint(truncate)');
    sound.close();
    damage(chosen, 'header', random);
    errors.length = 0;

    telemetry = await start();
    try {
      appendFileSync(out.path, lines('after', 50));
      await telemetry.attach(out);
      await telemetry.finish(BOT, 'run_01');
      // Reading the damaged file reveals the damage and sets it aside.
      await telemetry.summary(BOT).catch(() => null);
      await telemetry.series({ bot_id: BOT, type: 'price', field: 'value', points: 1 }).catch(() => null);
      await until('the damage to be told', () => errors.some((message) => message.includes('was damaged')));
      const all = await until('the log to be whole again', () => whole(telemetry).catch(() => null));
      const numbers = all.flatMap(({ message }) =>
        message.startsWith('line ') ? [Number(message.split(' ')[1])] : [],
      );
      const lost = new Set(gone.map(({ number }) => number));
      const want = Array.from({ length: MANY }, (_, at) => at).filter((at) => !lost.has(at));
      // What the newest held is still in its file, and read again.
      expect(numbers.sort((a, b) => a - b)).toEqual(want);
      const after = all.filter(({ message }) => message.startsWith('after '));
      expect(after).toHaveLength(50);
      expect(Math.min(...after.map(({ seq }) => seq))).toBeGreaterThan(newest);
      expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).sort((a, b) => a - b));
      expect(all.some(({ level, message }) => level === 'warn' && message.includes('was damaged'))).toBe(true);
      const series = await telemetry.series({ bot_id: BOT, type: 'price', field: 'value' });
      expect(series.count.reduce((sum, n) => sum + n, 0)).toBe(20);
      expect(readdirSync(dir).filter((name) => /\.corrupt-\d+$/.test(name))).toHaveLength(1);
      expect(logFiles(dataDir, BOT).includes(chosen)).toBe(false);
    } finally {
      await telemetry.close();
    }
  });
});
