import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { LiveBatch, LogEntry, LogPage, LogQuery } from '../../src/contract/telemetry.ts';
import { createTelemetry, type TelemetryOptions } from '../../src/main/host/logs/create-telemetry.ts';
import { isOfLog } from '../../src/main/host/logs/log-segments.ts';
import type { SpoolFile, Telemetry } from '../../src/main/host/logs/telemetry-types.ts';
import { builtWorker } from '../support/built-worker.ts';
import { noise } from '../support/noise.ts';
import { tempDir } from '../support/temp.ts';
import { until } from '../support/until.ts';

const BOT = 'bot_01';
const RUN = 'run_01';

/** A data folder with the spool files of one run, and telemetry on it. */
function idleWorker(): Worker {
  const worker = new Worker('setInterval(() => {}, 60_000)', { eval: true });
  worker.unref();
  return worker;
}

class Setup {
  readonly dataDir = tempDir('telemetry-');
  readonly errors: Error[] = [];
  readonly workers: Worker[] = [];
  /** Counts hosts: workers of one that has died do nothing. */
  #host = 0;

  spool(name: 'bot.out' | 'bot.err' | 'query.out' = 'bot.out', botId = BOT, runId = RUN): SpoolFile {
    const path = join(this.dataDir, 'bots', botId, 'runs', runId, name);
    mkdirSync(dirname(path), { recursive: true });
    const source = name === 'bot.out' ? 'stdout' : name === 'bot.err' ? 'stderr' : 'query';
    return { botId, runId, path, source };
  }

  write(file: SpoolFile, data: string | Uint8Array): void {
    appendFileSync(file.path, data);
  }

  start(options: Partial<TelemetryOptions> = {}): Promise<Telemetry> {
    const host = this.#host;
    return createTelemetry({
      dataDir: this.dataDir,
      onError: (error) => this.errors.push(error),
      startWorker: (url, workerOptions) => {
        const worker = host === this.#host ? builtWorker(url, workerOptions) : idleWorker();
        this.workers.push(worker);
        return worker;
      },
      ...options,
    });
  }

  /** Ends the workers as the death of the host does: without a word, and nothing starts them again. */
  async crash(): Promise<void> {
    this.#host += 1;
    await Promise.all(this.workers.splice(0).map((worker) => worker.terminate()));
  }

  /** Telemetry with a run attached, closed after the test in any case. */
  async using(work: (telemetry: Telemetry) => Promise<void>): Promise<void> {
    const telemetry = await this.start();
    try {
      await telemetry.openBot(BOT, []);
      await work(telemetry);
    } finally {
      await telemetry.close();
    }
  }
}

/** A page of lines. A read ends at its deadline with what it has, which on a busy machine is less than asked for: it is taken up again. */
async function pageOf(telemetry: Telemetry, query: LogQuery): Promise<LogPage> {
  let page = await telemetry.logs(query);
  const found = [...page.entries];
  while (page.incomplete && page.older_before !== null) {
    page = await telemetry.logs({ ...query, limit: (query.limit ?? 100) - found.length, before: page.older_before });
    found.unshift(...page.entries);
  }
  return { ...page, entries: found };
}

async function entries(telemetry: Telemetry, botId = BOT): Promise<LogEntry[]> {
  return (await pageOf(telemetry, { bot_id: botId, limit: 1000 })).entries;
}

function messages(telemetry: Telemetry, botId = BOT): Promise<string[]> {
  return entries(telemetry, botId).then((all) => all.map((entry) => entry.message));
}

const numbered = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('');

it('tells how much of a file waits to be stored', async () => {
  const setup = new Setup();
  const out = setup.spool();
  setup.write(out, 'stored\nnot whole');
  await setup.using(async (telemetry) => {
    expect(await telemetry.unread(BOT, [out.path])).toBe(0);
    await telemetry.attach(out);
    await until('the whole line', async () => (await messages(telemetry)).length === 1);
    expect(await telemetry.unread(BOT, [out.path])).toBe('not whole'.length);
    await telemetry.finish(BOT, RUN);
    expect(await telemetry.unread(BOT, [out.path])).toBe(0);
  });
});

describe.concurrent('what a bot says', () => {
  it('is a metric, a structured line or a plain one, from either stream, in any language', async () => {
    const setup = new Setup();
    const [out, err] = [setup.spool(), setup.spool('bot.err')];
    setup.write(out, '{"_metric":"price","symbol":"SPY","value":101.5,"timestamp":1767225600000}\n');
    setup.write(out, '{"level":"warn","msg":"slow","ms":12}\nplain ü 🚀\n');
    setup.write(err, 'ERROR broken\n');
    setup.write(err, Buffer.from([0x61, 0xff, 0x62, 0x0a]));
    await setup.using(async (telemetry) => {
      for (const file of [out, err]) await telemetry.attach(file);
      await telemetry.finish(BOT, RUN);
      const found = (await entries(telemetry)).map(({ level, source, message, fields, run_id }) => ({
        level,
        source,
        message,
        fields,
        run_id,
      }));
      expect(found).toEqual(
        expect.arrayContaining([
          { level: 'warn', source: 'stdout', message: 'slow', fields: { ms: 12 }, run_id: RUN },
          { level: 'info', source: 'stdout', message: 'plain ü 🚀', fields: null, run_id: RUN },
          { level: 'error', source: 'stderr', message: 'ERROR broken', fields: null, run_id: RUN },
          { level: 'info', source: 'stderr', message: 'a\ufffdb', fields: null, run_id: RUN },
        ]),
      );
      expect(found).toHaveLength(4);
      const { events } = await telemetry.metricEvents({ bot_id: BOT });
      expect(events).toMatchObject([
        { type: 'price', data: { symbol: 'SPY', value: 101.5 }, time: '2026-01-01T00:00:00.000Z', run_id: RUN },
      ]);
      const series = { bot_id: BOT, type: 'price', field: 'value', symbol: 'SPY' };
      expect(await telemetry.series(series)).toMatchObject({ t: [1767225600000], last: [101.5], count: [1] });
      const summary = await telemetry.summary(BOT);
      expect(summary).toMatchObject({ total: 4, metrics: 1, dropped: 0, by_level: { warn: 1, error: 1, info: 2 } });
      expect(summary.last_error?.message).toBe('ERROR broken');
    });
  });

  it('goes on over several entries when a line is longer than 64 KiB, with every byte kept', async () => {
    const setup = new Setup();
    const out = setup.spool();
    const long = 'abcdefghij'.repeat(20_000);
    setup.write(out, `${long}\nshort\n`);
    await setup.using(async (telemetry) => {
      await telemetry.attach(out);
      await telemetry.finish(BOT, RUN);
      const all = await entries(telemetry);
      const parts = all.slice(0, -1);
      expect(parts.map((part) => part.message).join('')).toBe(long);
      expect(parts.map((part) => part.continued)).toEqual([...parts.slice(1).map(() => true), false]);
      expect(all.at(-1)).toMatchObject({ message: 'short', continued: false });
    });
  });

  it('is searched no longer than somebody waits for it', async () => {
    const setup = new Setup();
    const out = setup.spool();
    setup.write(out, numbered(0, 120_000));
    await setup.using(async (telemetry) => {
      await telemetry.attach(out);
      await telemetry.finish(BOT, RUN);
      const gone = new AbortController();
      const search = telemetry.logs({ bot_id: BOT, search: 'is not there' }, gone.signal);
      gone.abort();
      const { incomplete, older_before } = await search;
      expect(incomplete).toBe(true);
      expect(older_before).toBeGreaterThan(20_000);
    });
  });

  it('is read in pages, by level, by run and by text', async () => {
    const setup = new Setup();
    const [first, second] = [setup.spool(), setup.spool('bot.out', BOT, 'run_02')];
    setup.write(first, `${numbered(0, 250)}ERROR the needle\n`);
    setup.write(second, 'of another run\n');
    await setup.using(async (telemetry) => {
      await telemetry.attach(first);
      await telemetry.finish(BOT, RUN);
      await telemetry.attach(second);
      await telemetry.finish(BOT, 'run_02');
      const newest = await pageOf(telemetry, { bot_id: BOT, limit: 100 });
      expect([newest.truncated, newest.entries.length, newest.entries.at(-1)?.message]).toEqual([
        true,
        100,
        'of another run',
      ]);
      const older = await pageOf(telemetry, { bot_id: BOT, limit: 1000, before: newest.older_before ?? 0 });
      expect(older.entries.map((entry) => entry.message)).toEqual(
        Array.from({ length: 152 }, (_, index) => `line ${index}`),
      );
      const errors = await pageOf(telemetry, { bot_id: BOT, level: 'error' });
      expect(errors.entries.map((entry) => entry.message)).toEqual(['ERROR the needle']);
      const search = await pageOf(telemetry, { bot_id: BOT, search: 'NEEDLE' });
      expect(search.entries.map((entry) => entry.message)).toEqual(['ERROR the needle']);
      const run = await pageOf(telemetry, { bot_id: BOT, run_id: 'run_02' });
      expect(run.entries.map((entry) => entry.message)).toEqual(['of another run']);
      const today = new Date().toISOString().slice(0, 10);
      expect((await pageOf(telemetry, { bot_id: BOT, date: today, limit: 1000 })).entries).toHaveLength(252);
      expect((await pageOf(telemetry, { bot_id: BOT, date: '2020-01-01' })).entries).toEqual([]);
    });
  });
});

describe.concurrent('no line is lost and none is doubled', () => {
  it('when the host dies and another one reads on, in the middle of a line too', async () => {
    const setup = new Setup();
    const out = setup.spool();
    const first = await setup.start();
    await first.openBot(BOT, []);
    await first.attach(out);
    setup.write(out, `${numbered(0, 500)}half of `);
    await until('the first lines', async () => (await entries(first)).length === 500);
    await setup.crash();
    setup.write(out, 'a line\n');
    setup.write(out, numbered(501, 300));
    await setup.using(async (second) => {
      await second.attach(out);
      await second.finish(BOT, RUN);
      const found = await messages(second);
      expect(found).toEqual([
        ...Array.from({ length: 500 }, (_, index) => `line ${index}`),
        'half of a line',
        ...Array.from({ length: 300 }, (_, index) => `line ${501 + index}`),
      ]);
    });
  });

  it('when the host dies after the output was stored and before the end of the run was', async () => {
    const setup = new Setup();
    const out = setup.spool();
    setup.write(out, `${numbered(0, 50)}the last line has no end`);
    await setup.using(async (first) => {
      await first.attach(out);
      await first.finish(BOT, RUN);
    });
    await setup.using(async (second) => {
      await second.attach(out);
      await second.finish(BOT, RUN);
      const found = await messages(second);
      expect([found.length, found.at(-1)]).toEqual([51, 'the last line has no end']);
    });
  });

  it('when the ingest worker dies', async () => {
    const setup = new Setup();
    const out = setup.spool();
    await setup.using(async (telemetry) => {
      await telemetry.attach(out);
      const seen: number[] = [];
      await telemetry.subscribe(BOT, null, {
        push(batch) {
          if ('logs' in batch) seen.push(...batch.logs.map((entry) => entry.seq));
          return true;
        },
      });
      for (let round = 0; round < 5; round++) {
        setup.write(out, numbered(round * 100, 100));
        if (round === 2) await setup.workers[0]?.terminate();
      }
      await until('all lines', async () => (await entries(telemetry)).length === 500);
      expect(await messages(telemetry)).toEqual(Array.from({ length: 500 }, (_, index) => `line ${index}`));
      await until('all lines live', () => seen.length >= 500);
      expect(seen).toEqual([...new Set(seen)]);
    });
  });

  it('for live readers, whatever they have seen before', async () => {
    const setup = new Setup();
    const out = setup.spool();
    await setup.using(async (telemetry) => {
      await telemetry.attach(out);
      const readers: LiveBatch[][] = [];
      const read = async (after: number | null): Promise<LiveBatch[]> => {
        const batches: LiveBatch[] = [];
        readers.push(batches);
        await telemetry.subscribe(BOT, after, { push: (batch) => batches.push(batch) > 0 });
        return batches;
      };
      const lines = (batches: LiveBatch[]) =>
        batches.flatMap((batch) => ('logs' in batch ? batch.logs.map((entry) => entry.message) : []));
      const early = await read(null);
      setup.write(out, numbered(0, 200));
      await until('some lines', () => lines(early).length > 20);
      const late = await read(0);
      setup.write(out, numbered(200, 200));
      await until('all lines', () => readers.every((batches) => lines(batches).length === 400));
      const expected = Array.from({ length: 400 }, (_, index) => `line ${index}`);
      expect(lines(early)).toEqual(expected);
      expect(lines(late)).toEqual(expected);
      const resumed = await read((await entries(telemetry))[149]?.seq ?? 0);
      await until('the rest', () => lines(resumed).length === 250);
      expect(lines(resumed)).toEqual(expected.slice(150));
    });
  });

  it('when a reader is full: it is told from where to read on, and the others go on', async () => {
    const setup = new Setup();
    const out = setup.spool();
    await setup.using(async (telemetry) => {
      await telemetry.attach(out);
      const told: LiveBatch[] = [];
      const other: string[] = [];
      await telemetry.subscribe(BOT, 0, { push: (batch) => told.push(batch) < 1 });
      await telemetry.subscribe(BOT, 0, {
        push(batch) {
          if ('logs' in batch) other.push(...batch.logs.map((entry) => entry.message));
          return true;
        },
      });
      setup.write(out, numbered(0, 10));
      await until('the first lines', () => other.length === 10);
      setup.write(out, numbered(10, 10));
      await until('all lines', () => other.length === 20);
      expect(told).toHaveLength(2);
      expect(told[1]).toMatchObject({ gap: { from_seq: 0 } });
    });
  });
});

describe.concurrent('secrets', () => {
  const SECRET = 'p4ss/Word+77-xyz';

  it('of today are masked whenever lines are read, also of a bot that does not run, and by the next host', async () => {
    const setup = new Setup();
    const out = setup.spool();
    let known: readonly string[] = [];
    const read = async (telemetry: Telemetry): Promise<string> => {
      const stored = Promise.withResolvers<unknown>();
      const push = (batch: LiveBatch): boolean => {
        stored.resolve(batch);
        return true;
      };
      const end = await telemetry.subscribe(BOT, 0, { push });
      const { entries } = await telemetry.logs({ bot_id: BOT });
      const { events } = await telemetry.metricEvents({ bot_id: BOT });
      const all = [entries, events, await telemetry.summary(BOT), await telemetry.metrics(BOT), await stored.promise];
      end();
      return JSON.stringify(all);
    };
    const first = await setup.start();
    first.maskReads(() => known);
    setup.write(out, `{"_metric":"login","with":"${SECRET}"}\nERROR logged in with ${SECRET}\n`);
    await first.attach(out);
    await first.finish(BOT, RUN);
    expect((await read(first)).split(SECRET), 'in six places').toHaveLength(7);
    known = [SECRET];
    expect(await read(first)).not.toContain(SECRET);
    await setup.workers[1]?.terminate();
    expect(await read(first), 'after the death of the reader').not.toContain(SECRET);
    await first.close();
    await setup.using(async (next) => {
      next.maskReads(() => known);
      expect(await read(next)).not.toContain(SECRET);
      next.maskReads(() => {
        throw new Error('nobody knows');
      });
      await expect(next.logs({ bot_id: BOT })).rejects.toThrow('nobody knows');
    });
  });

  it('never reach the disk, also when split across writes and when they become known later', async () => {
    const setup = new Setup();
    const out = setup.spool();
    const telemetry = await setup.start();
    await telemetry.openBot(BOT, [SECRET]);
    await telemetry.attach(out);
    setup.write(out, `whole ${SECRET}\nsplit ${SECRET.slice(0, 7)}`);
    setup.write(out, `${SECRET.slice(7)} end\nlater n0t-kn0wn-yet-1\n`);
    await telemetry.finish(BOT, RUN);
    const found = await messages(telemetry);
    expect(found).toHaveLength(3);
    expect(found.join('\n')).not.toMatch(/p4ss|77-xyz/);
    // Today's rules apply to stored lines.
    await telemetry.openBot(BOT, [SECRET, 'n0t-kn0wn-yet-1']);
    expect((await messages(telemetry)).join('\n')).not.toContain('n0t-kn0wn-yet-1');
    await telemetry.close();
    const dir = join(setup.dataDir, 'bots', BOT);
    for (const name of readdirSync(dir)) {
      if (isOfLog(name)) expect(readFileSync(join(dir, name)).includes(SECRET)).toBe(false);
    }
  });
});

describe.concurrent('bots', () => {
  it('are apart: a damaged log of one is set aside, and removing one leaves nothing of it', async () => {
    const setup = new Setup();
    const [mine, other] = [setup.spool(), setup.spool('bot.out', 'bot_02')];
    setup.write(mine, numbered(0, 3));
    setup.write(other, 'of the other\n');
    await setup.using(async (telemetry) => {
      await telemetry.openBot('bot_02', []);
      await telemetry.attach(mine);
      await telemetry.attach(other);
      await telemetry.finish(BOT, RUN);
      await telemetry.finish('bot_02', RUN);
      telemetry.hostLine(BOT, 'warn', 'from the host', RUN);
      await until('the line of the host', async () => (await messages(telemetry)).includes('from the host'));
      await telemetry.removeBot('bot_02');
      const left = readdirSync(join(setup.dataDir, 'bots', 'bot_02'));
      expect(left.filter((name) => name.startsWith('log'))).toEqual([]);
      expect((await messages(telemetry)).length).toBe(4);
    });
    const log = join(setup.dataDir, 'bots', BOT, 'log.db');
    expect(existsSync(log)).toBe(true);
    for (const end of ['-wal', '-shm']) rmSync(log + end, { force: true });
    appendFileSync(log, '');
    rmSync(log);
    appendFileSync(log, Buffer.alloc(20_000, 7));
    const again = setup.spool('bot.out', BOT, 'run_02');
    setup.write(again, 'after the damage\n');
    await setup.using(async (telemetry) => {
      await telemetry.attach(again);
      await telemetry.finish(BOT, 'run_02');
      expect(await messages(telemetry)).toContain('after the damage');
    });
    expect(setup.errors.map((error) => error.message).join('\n')).toContain('damaged');
  });

  it('keep no more than they may: the oldest lines go first, counters with them', async () => {
    const setup = new Setup();
    const out = setup.spool();
    const telemetry = await setup.start({ retention: { days: 30, bytes: 2 * 1024 * 1024 } });
    await telemetry.openBot(BOT, []);
    await telemetry.attach(out);
    for (let block = 0; block < 20; block++) {
      setup.write(
        out,
        Array.from(
          { length: 1000 },
          (_, index) => `${block * 1000 + index} ${noise(block * 1000 + index, 530)}\n`,
        ).join(''),
      );
    }
    await telemetry.finish(BOT, RUN);
    // Looked after at once in a flood, else once a minute.
    const { total } = await until(
      'the oldest lines to go',
      async () => {
        const summary = await telemetry.summary(BOT);
        return summary.total < 10_000 ? summary : null;
      },
      90_000,
    );
    const page = await telemetry.logs({ bot_id: BOT, limit: 1 });
    expect(page.entries[0]?.message).toMatch(/^19999 /);
    expect(total).toBeGreaterThan(1000);
    await telemetry.close();
  });
});
