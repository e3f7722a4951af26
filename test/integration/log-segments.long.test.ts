import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/contract/telemetry.ts';
import { createTelemetry, type TelemetryOptions } from '../../src/main/host/logs/create-telemetry.ts';
import type { SpoolFile, Telemetry } from '../../src/main/host/logs/telemetry-types.ts';
import { builtWorker } from '../support/built-worker.ts';
import { logFiles } from '../support/log-files.ts';
import { noise } from '../support/noise.ts';
import { tempDir } from '../support/temp.ts';
import { until } from '../support/until.ts';

const BOT = 'bot_01';
const MB = 1024 * 1024;
const DAY = 86_400_000;

interface UseOptions extends Partial<TelemetryOptions> {
  /** Whether the bot is opened, as one that runs. */
  readonly opens?: boolean;
}

class Setup {
  readonly dataDir = tempDir('log-segments-');
  readonly errors: string[] = [];
  readonly workers: Worker[] = [];
  readonly out: SpoolFile = {
    botId: BOT,
    runId: 'run_01',
    path: join(this.dataDir, 'bots', BOT, 'runs/run_01/bot.out'),
    source: 'stdout',
  };

  constructor() {
    mkdirSync(dirname(this.out.path), { recursive: true });
  }

  write(from: number, count: number): void {
    const line = (_: unknown, at: number): string => `line ${from + at} ${noise(from + at, 380)}\n`;
    appendFileSync(this.out.path, Array.from({ length: count }, line).join(''));
  }

  async using({ opens = true, ...options }: UseOptions, work: (telemetry: Telemetry) => Promise<void>): Promise<void> {
    const telemetry = await createTelemetry({
      dataDir: this.dataDir,
      onError: ({ message }) => this.errors.push(message),
      startWorker: (url, workerOptions) => {
        const worker = builtWorker(url, workerOptions);
        this.workers.push(worker);
        return worker;
      },
      ...options,
    });
    try {
      if (opens) await telemetry.openBot(BOT, []);
      await work(telemetry);
    } finally {
      await telemetry.close();
    }
  }
}

const numberOf = ({ message }: LogEntry): number => Number(message.split(' ')[1]);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Numbers of the lines of the whole log, page by page. */
async function whole(telemetry: Telemetry): Promise<number[]> {
  const found: number[] = [];
  for (let after = 0; ; ) {
    const { entries } = await telemetry.logs({ bot_id: BOT, after, limit: 1000 });
    found.push(...entries.filter(({ message }) => message.startsWith('line ')).map(numberOf));
    const last = entries.at(-1);
    if (last === undefined) return found;
    after = last.seq;
  }
}

describe.concurrent('a log that is written in segments', () => {
  it('is streamed and read without a gap or a repeat from one to the next', async () => {
    const setup = new Setup();
    await setup.using({ retention: { days: 30, bytes: 16 * MB } }, async (telemetry) => {
      const live: number[] = [];
      const subscribe = (after: number, into: number[]) =>
        telemetry.subscribe(BOT, after, {
          push(batch) {
            if ('logs' in batch) into.push(...batch.logs.map(numberOf));
            return true;
          },
        });
      await telemetry.attach(setup.out);
      await subscribe(0, live);
      for (let from = 0; from < 24_000; from += 1000) {
        setup.write(from, 1000);
        if (from % 6000 === 0) await until('some lines', () => live.length > from / 2);
      }
      await telemetry.finish(BOT, 'run_01');
      await until('all lines live', () => live.length === 24_000);
      expect(live).toEqual(upTo(24_000));
      expect(logFiles(setup.dataDir, BOT).length).toBeGreaterThan(2);
      expect(await whole(telemetry)).toEqual(upTo(24_000));
      const late: number[] = [];
      await subscribe(0, late);
      await until('all lines for who comes late', () => late.length === 24_000);
      expect(late).toEqual(upTo(24_000));
      expect((await telemetry.summary(BOT)).total).toBe(24_000);
      expect(setup.errors).toEqual([]);
    });
  });

  it('answers at any moment while the oldest go', async () => {
    const setup = new Setup();
    await setup.using({ retention: { days: 30, bytes: 2 * MB } }, async (telemetry) => {
      await telemetry.attach(setup.out);
      let over = false;
      const read = async (): Promise<number> => {
        for (let asked = 0; ; asked++) {
          const last = over;
          const [newest, oldest] = await Promise.all([
            telemetry.logs({ bot_id: BOT, limit: 300 }),
            telemetry.logs({ bot_id: BOT, after: 0, limit: 300 }),
            telemetry.logs({ bot_id: BOT, search: 'line 7', limit: 1000 }),
          ]);
          const numbers = newest.entries.map(numberOf);
          expect(numbers).toEqual(upTo(numbers.length).map((at) => (numbers[0] ?? 0) + at));
          // Of these some may go between two steps of the same read.
          const early = oldest.entries.map(numberOf);
          expect(early).toEqual([...new Set(early)].sort((x, y) => x - y));
          const { total, by_level } = await telemetry.summary(BOT);
          expect(by_level.info).toBe(total);
          if (last) return asked;
        }
      };
      const write = async (): Promise<void> => {
        for (let from = 0; from < 40_000; from += 1000) {
          setup.write(from, 1000);
          await until('the lines', async () => (await telemetry.unread(BOT, [setup.out.path])) < 100_000);
        }
        await telemetry.finish(BOT, 'run_01');
        over = true;
      };
      const [asked] = await Promise.all([read(), write()]);
      expect(asked).toBeGreaterThan(3);
      const numbers = await until('the oldest to go', async () => {
        const found = await whole(telemetry);
        return found.length < 10_000 ? found : null;
      });
      expect(numbers).toEqual(upTo(numbers.length).map((at) => 40_000 - numbers.length + at));
      expect((await telemetry.summary(BOT)).total).toBe(numbers.length);
      expect(setup.errors).toEqual([]);
    });
  });

  it('loses no line and doubles none when the ingest worker dies at any moment', async () => {
    const setup = new Setup();
    await setup.using({ retention: { days: 30, bytes: 20 * MB } }, async (telemetry) => {
      await telemetry.attach(setup.out);
      setup.write(0, 30_000);
      for (const least of [1, 4000, 9000, 15_000, 20_000]) {
        await until('more lines', async () => (await telemetry.summary(BOT)).total >= least);
        // Its place is taken by another one.
        await setup.workers
          .filter((_, at) => at !== 1)
          .at(-1)
          ?.terminate();
      }
      await until(
        'all lines',
        async () => (await telemetry.summary(BOT)).total === 30_000,
        undefined,
        async () => `${(await telemetry.summary(BOT)).total} lines in ${logFiles(setup.dataDir, BOT).join(', ')}`,
      );
      expect(await whole(telemetry)).toEqual(upTo(30_000));
      expect(logFiles(setup.dataDir, BOT).length).toBeGreaterThan(2);
    });
  });

  it('gets its next segment when the first line is old, and loses the old one when all of it is', async () => {
    const setup = new Setup();
    const begin = Date.now();
    const onDay = (days: number): Partial<TelemetryOptions> => ({ now: () => begin + days * DAY });
    await setup.using(onDay(0), async (telemetry) => {
      setup.write(0, 10);
      await telemetry.attach(setup.out);
      await until('the lines', async () => (await telemetry.summary(BOT)).total === 10);
    });
    await setup.using(onDay(3), async (telemetry) => {
      setup.write(10, 10);
      await telemetry.attach(setup.out);
      await until('more lines', async () => (await telemetry.summary(BOT)).total === 20);
    });
    expect(logFiles(setup.dataDir, BOT)).toHaveLength(1);
    await setup.using(onDay(5), async (telemetry) => {
      await until('the next segment', () => logFiles(setup.dataDir, BOT).length === 2);
      setup.write(20, 10);
      await telemetry.attach(setup.out);
      await telemetry.finish(BOT, 'run_01');
      expect(await whole(telemetry)).toEqual(upTo(30));
    });
    await setup.using(onDay(34), async (telemetry) => {
      await until('the oldest to go', async () => (await telemetry.summary(BOT)).total === 10);
      expect(await whole(telemetry)).toEqual(upTo(30).slice(20));
    });
    expect(setup.errors).toEqual([]);
  });

  it('loses what is too old also when its bot does not run, in this host or ever again', async () => {
    const setup = new Setup();
    const begin = Date.now();
    await setup.using({}, async (telemetry) => {
      setup.write(0, 10);
      await telemetry.attach(setup.out);
      await telemetry.finish(BOT, 'run_01');
    });
    await setup.using({ now: () => begin + 40 * DAY, opens: false }, async (telemetry) => {
      expect((await telemetry.summary(BOT)).total).toBe(10);
      telemetry.know([BOT]);
      await until('all lines to go', async () => (await telemetry.summary(BOT)).total === 0);
    });
    expect(setup.errors).toEqual([]);
  });
});
