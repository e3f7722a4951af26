import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import type { LogEntry } from '../../src/contract/telemetry.ts';
import { countingBot, countLines } from '../support/counting-bot.ts';
import { containersOf } from '../support/docker/containers.ts';
import { dockerForTests } from '../support/docker.ts';
import { DUE, doubledDueTimes, dueTimes } from '../support/due-bot.ts';
import { type Follower, follow } from '../support/follow.ts';
import { logRows } from '../support/log-files.ts';
import { OtherClock, whyNoOtherClock } from '../support/other-clock.ts';
import { pidsUnder, procText, type TestHost, testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { botUntil, deployTiny, getBot, lineUntil, logsOf, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const ROUNDS = rounds(3, 200);
const MINUTE = 60_000;
/** From the start of the host to a record that is true again, at most, in all rounds but one in twenty: the machine may be busy. */
const TRUE_MS = rounds(30_000, 5_000);
/** One in this many seen lines is kept and looked for at the end. */
const KEPT_OF = 50;

/** Lines that the host has shown to a reader. */
class Acknowledged {
  readonly #lines = new Map<number, string>();
  shown = 0;

  take(lines: readonly LogEntry[]): void {
    lines.forEach(({ seq, message }, index) => {
      if (index === lines.length - 1 || seq % KEPT_OF === 0) this.#lines.set(seq, message);
    });
    this.shown += lines.length;
  }

  /** Number of kept lines that are missing or changed. */
  lost(dataDir: string, botId: string): number {
    const left = new Map(this.#lines);
    for (const { seq, line } of logRows<{ seq: number; line: string }>(dataDir, botId, 'select seq, line from log')) {
      if (left.get(seq) === line) left.delete(seq);
    }
    return left.size;
  }
}

interface Place {
  readonly engine: 'process' | 'docker';
  readonly address: string | null;
}

/** Processes or containers that run the bot, by names that change with a new start. */
async function programs(host: TestHost, { address }: Place, botId: string): Promise<string[]> {
  if (address === null)
    return pidsUnder(host.dataDir)
      .filter((pid) => procText(pid, 'environ').includes(`BOT_ID=${botId}`))
      .map(String);
  return (await containersOf(address, host.dataDir))
    .filter(({ Labels }) => Labels['bot-platform.bot'] === botId)
    .map(({ Id }) => Id);
}

async function killAgainAndAgain(place: Place, onTestFinished: TestContext['onTestFinished']): Promise<void> {
  const seed = testSeed();
  const random = new SeededRandom(seed);
  const clock = new OtherClock();
  onTestFinished(() => clock.tidy());
  const host = await testHost(onTestFinished, undefined, place.address, {
    ...clock.env,
    PLATFORM_RETENTION_MB: '100000',
  });
  const { bot_id: id } = await deployTiny(host, countingBot(20));
  const { bot_id: due } = await deployTiny(host, DUE, {
    schedule: '* * * * *',
    options: { overlap: 'allow' },
  });
  await lineUntil(host, id, 'line ');
  const { run_id } = await getBot(host, id);
  const before = await programs(host, place, id);
  const acknowledged = new Acknowledged();
  const begin = performance.now();
  const nextMinute = Math.ceil(clock.now() / MINUTE) * MINUTE;
  const waits: number[] = [];
  await host.kill();
  for (let round = 0; round < ROUNDS; round++) {
    // Each host meets a due time: while it starts, while it looks, or after its death.
    clock.set(nextMinute + round * MINUTE - random.below(2000));
    const from = performance.now();
    const started = host.start().catch(() => null);
    if (round % 3 === 2) {
      await wait(random.below(1000));
      await host.kill();
      await started;
      continue;
    }
    await started;
    const true_ = await botUntil(host, id, 'the truth', (bot) => bot.status === 'running' && bot.run_id === run_id);
    waits.push(Math.round(performance.now() - from));
    expect(true_.restarts).toBe(0);
    const reader: Follower = await follow(host, id, null, (lines) => acknowledged.take(lines));
    await wait(random.below(1500));
    if (round % 2 === 0) acknowledged.take(await logsOf(host, id));
    await host.kill();
    await reader.ended;
  }
  clock.set(nextMinute + ROUNDS * MINUTE - 1000);
  await host.start();
  waits.sort((a, b) => a - b);
  const share = (of: number): number => waits[Math.floor((waits.length - 1) * of)] ?? 0;
  const counted = await countLines(host, id);
  const last = new Date(nextMinute + ROUNDS * MINUTE).toISOString();
  await until('the end of a run of the last host', async () =>
    (await runsOf(host, due)).some(({ slot, ended_at }) => slot === last && ended_at !== null),
  );
  const times = dueTimes(host.dataDir, due);
  const ran = times.filter(({ began }) => began > 0).length;
  const passed = ((times.at(-1)?.slot ?? 0) - (times[0]?.slot ?? 0)) / MINUTE + 1;
  const figures = {
    kills: ROUNDS,
    'lines written': counted.lines,
    'lines shown before a kill': acknowledged.shown,
    lost: counted.lost + acknowledged.lost(host.dataDir, id),
    doubled: counted.doubled,
    'due times': times.length,
    'runs started': ran,
    'due times forgotten': passed - new Set(times.map(({ slot }) => slot)).size,
    'due times run twice': doubledDueTimes(times),
    'record true again, median (ms)': share(0.5),
    '95 of 100 (ms)': share(0.95),
    'slowest (ms)': share(1),
  };
  const story = JSON.stringify({ seed, seconds: Math.round((performance.now() - begin) / 1000), ...figures });
  expect(figures, story).toMatchObject({ lost: 0, doubled: 0, 'due times forgotten': 0, 'due times run twice': 0 });
  expect(counted.ordered, story).toBe(true);
  expect(counted.lines, story).toBeGreaterThan(ROUNDS * 1000);
  expect(acknowledged.shown, story).toBeGreaterThan(ROUNDS * 100);
  expect(ran, story).toBeGreaterThan(rounds(0, ROUNDS / 3));
  expect(times.filter(({ status, began }) => status === 'succeeded' && began !== 1)).toEqual([]);
  expect(share(0.95), story).toBeLessThan(TRUE_MS);
  expect(await programs(host, place, id), story).toEqual(before);
  expect(await getBot(host, id)).toMatchObject({ status: 'running', restarts: 0, run_id });
  expect((await runsOf(host, id)).length).toBe(1);
  await prove(
    'R1',
    'The host is killed while a bot writes 20,000 lines a second',
    { engine: place.engine, ...figures },
    `R1-${place.engine}`,
  );
}

const found = await dockerForTests();

describe.skipIf(whyNoOtherClock() !== null)(`a host that is killed ${ROUNDS} times loses and doubles nothing`, () => {
  it('with bots that are processes', ({ onTestFinished }) =>
    killAgainAndAgain({ engine: 'process', address: null }, onTestFinished));

  it.skipIf('reason' in found)('with bots in containers', ({ onTestFinished }) =>
    killAgainAndAgain({ engine: 'docker', address: 'host' in found ? found.host : null }, onTestFinished),
  );
});
