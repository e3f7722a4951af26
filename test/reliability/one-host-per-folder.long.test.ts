import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STILL_MS } from '../../src/node/heartbeat.ts';
import { AS_PROCESS_1, whyNoNamespaces } from '../support/namespaces.ts';
import { endOf, TestHost, testHost } from '../support/platform.ts';
import { prove, rounds, variants } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';
import { call, deployTiny, lineUntil, logsOf, storyOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const ROUNDS = rounds(2, 50);
/** Beside other tests a start may take as long as a watch of the heartbeat. */
const isMeasured = ROUNDS === 50;

const BOT = `
let n = 0;
setInterval(() => console.log('tick ' + n++ + ' of ' + process.env.RUN_ID), 20);`;

/** Another host on the folder of this one. */
function beside(host: TestHost, within: readonly string[] = host.within): TestHost {
  const other = new TestHost(host.dataDir);
  other.within = within;
  return other;
}

/** Started hosts, and the errors of the others. */
async function raced(hosts: readonly TestHost[]): Promise<{ started: TestHost[]; refused: string[] }> {
  const results = await Promise.allSettled(hosts.map((host) => host.start()));
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return {
    started,
    refused: results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])),
  };
}

/** Of the lines of a bot: from each run they come without a gap, and no run begins before the one before it is over. */
function overlaps(lines: readonly { message: string }[]): number {
  const runs = lines.flatMap(({ message }) => /^tick \d+ of (\S+)$/.exec(message)?.[1] ?? []);
  const order = runs.filter((run, index) => run !== runs[index - 1]);
  return order.length - new Set(order).size;
}

describe.skipIf(whyNoNamespaces() !== null)('two hosts as process 1 of two pid namespaces on one folder', () => {
  it('only one runs, and a killed one is followed at once', async ({ onTestFinished }) => {
    const first = new TestHost();
    first.within = AS_PROCESS_1;
    // `unshare` passes no signal on: only its end stops the program in it.
    onTestFinished(() => first.kill());
    await first.start();
    const { bot_id: id } = await deployTiny(first, { name: 'alone', bot: BOT });
    await lineUntil(first, id, 'tick 3 ');
    const waits: number[] = [];
    let refusals = 0;
    let now = first;
    for (let round = 0; round < ROUNDS; round++) {
      const second = beside(now, AS_PROCESS_1);
      onTestFinished(() => second.kill());
      await expect(second.start(), `round ${round}`).rejects.toThrow(/HOST_RUNNING/);
      refusals += 1;
      await now.kill();
      const begun = performance.now();
      // Two at once after a crash: exactly one of them follows.
      const both = [beside(now), beside(now)];
      for (const host of both) onTestFinished(() => host.kill());
      const { started, refused } = await raced(both);
      waits.push(performance.now() - begun);
      expect(refused, `round ${round}`).toEqual([expect.stringContaining('HOST_RUNNING')]);
      refusals += 1;
      const [next] = started;
      if (next === undefined) throw new Error('no host has started');
      now = next;
      // Its program died with the host: after some rounds the bot would wait for minutes before its next start.
      await call(now, 'POST', `/api/v1/bots/${id}/start`);
      const seen = (await logsOf(now, id)).at(-1)?.seq ?? 0;
      await until(
        'the bot writes on',
        async () => ((await logsOf(now, id)).at(-1)?.seq ?? 0) > seen + 3,
        undefined,
        () => storyOf(now, id),
      );
      expect(overlaps(await logsOf(now, id)), `round ${round}`).toBe(0);
    }
    const sorted = waits.sort((a, b) => a - b);
    if (isMeasured) expect(middle(sorted)).toBeLessThan(STILL_MS / 2);
    expect(folderTimes(first).filter((ms) => ms >= STILL_MS / 2)).toEqual([]);
    await prove(
      'R18',
      'Two hosts on one folder, each as process 1 of a pid namespace, and kill -9 of the one that runs',
      {
        rounds: ROUNDS,
        refused: refusals,
        'two programs of a bot at once': 0,
        'start after kill -9, median (ms)': Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
        'slowest (ms)': Math.round(sorted.at(-1) ?? 0),
      },
    );
  });
});

describe('a folder that another machine uses', () => {
  it('is refused while the heartbeat of that machine moves, and taken once it stands still', async ({
    onTestFinished,
  }) => {
    const host = new TestHost();
    onTestFinished(() => endOf(host), 180_000);
    const beat = join(host.dataDir, 'host.beat');
    const elsewhere = {
      instance: 'ab'.repeat(8),
      machine: 'other',
      name: null,
      boot: 'other',
      hostname: 'there',
      pid: 7,
    };
    let beats = 0;
    const write = (): void => writeFileSync(beat, JSON.stringify({ ...elsewhere, since: 1, beats: beats++ }));
    write();
    const timer = setInterval(write, 500);
    onTestFinished(() => clearInterval(timer));
    await expect(host.start()).rejects.toThrow(/HOST_RUNNING.*on there, process 7 there/);
    clearInterval(timer);
    await host.start();
    expect(JSON.parse(readFileSync(beat, 'utf8')).instance).not.toBe(elsewhere.instance);
  });

  it('ends the host that began later, where both began at once', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const beat = join(host.dataDir, 'host.beat');
    const own = JSON.parse(readFileSync(beat, 'utf8'));
    writeFileSync(beat, JSON.stringify({ ...own, instance: 'ab'.repeat(8), hostname: 'there', since: own.since - 1 }));
    await until('the end of the host', () => host.isGone());
    expect(host.log).toContain('Another host works on this folder since before (on there');
  });
});

/** Ways in which the holder of the lock ends without a word, each with what is left of it. */
const ENDS = {
  crash: async (host: TestHost) => {
    process.kill(host.pid, 'SIGABRT');
    await until('the end of the host', () => host.isGone());
  },
  'kill -9': (host: TestHost) => host.kill(),
  /** What lies there is of an earlier start of this machine. */
  'power cut': async (host: TestHost) => {
    await host.kill();
    ofAnEarlierBoot(host);
  },
} as const;

function ofAnEarlierBoot(host: TestHost, changes: object = {}): void {
  for (const name of ['host.beat', 'host.lock']) {
    const file = join(host.dataDir, name);
    const left = { ...JSON.parse(readFileSync(file, 'utf8')), boot: 'of before' };
    writeFileSync(file, JSON.stringify(name === 'host.beat' ? { ...left, ...changes } : left));
  }
}

/** How long each start of a host took to take the folder, in ms, as its log says. */
const folderTimes = (host: TestHost): number[] =>
  [...host.log.matchAll(/"folder_ms":(\d+)/g)].map(([, ms]) => Number(ms));

const middle = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0;

describe('what a dead host leaves', () => {
  const places = variants(
    [['as any process', []]] as const,
    whyNoNamespaces() === null ? ([['as process 1 of a pid namespace', AS_PROCESS_1]] as const) : [],
  );
  const cases = places.flatMap(([place, within]) =>
    Object.keys(ENDS).map((end) => [end as keyof typeof ENDS, place, within] as const),
  );
  it.for(cases)('delays no start: %s of one %s', async ([end, place, within], { onTestFinished }) => {
    const host = new TestHost();
    host.within = within;
    // `unshare` passes no signal on: only its end ends what is in it.
    onTestFinished(() => (within.length === 0 ? endOf(host) : host.kill()), 180_000);
    await host.start();
    const starts: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await ENDS[end](host);
      const begun = performance.now();
      await host.start();
      starts.push(performance.now() - begun);
    }
    const times = folderTimes(host).slice(1);
    expect(times).toHaveLength(ROUNDS);
    expect(times.filter((ms) => ms >= STILL_MS / 2)).toEqual([]);
    times.sort((a, b) => a - b);
    starts.sort((a, b) => a - b);
    if (isMeasured) expect(starts.filter((ms) => ms >= STILL_MS / 2)).toEqual([]);
    await prove(
      'R18',
      `Start after a ${end} of the host that ran ${place}`,
      {
        rounds: ROUNDS,
        'median (ms)': Math.round(middle(starts)),
        'slowest (ms)': Math.round(starts.at(-1) ?? 0),
        'the folder was taken within (ms)': times.at(-1) ?? 0,
      },
      `R18-${end.replace(/\W+/g, '-')}${within.length === 0 ? '' : '-namespace'}`,
    );
  });

  it('is watched where one of both sides may share the disk and not its locks', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    await host.kill();
    ofAnEarlierBoot(host, { machine: 'other', lockedLocally: false });
    await host.start();
    expect(folderTimes(host).at(-1)).toBeGreaterThanOrEqual(STILL_MS);
  });

  it('is a lock that other processes of a program do not keep', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const file = join(host.dataDir, 'host-lock.db');
    // A backup program that reads the file drops no lock, for it is another process.
    await once(spawn('cat', [file], { stdio: 'ignore' }), 'exit');
    const other = new TestHost(host.dataDir);
    const copy = tempDir();
    await once(spawn('cp', ['-a', file, copy], { stdio: 'ignore' }), 'exit');
    await expect(other.start()).rejects.toThrow(/HOST_RUNNING/);
  });
});
