import { uptime } from 'node:os';
import type { AuditWords } from '../../../contract/audit-words.ts';
import { deedOf } from '../../../contract/audit-words.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { systemClock } from '../../../node/clock.ts';
import { needsYou } from '../../../shared/health.ts';
import { nextDue, parseSchedule } from '../../../shared/schedule.ts';
import { Alarms } from '../alarms/alarms.ts';
import { BotAlarms } from '../alarms/bot-alarms.ts';
import { ClockWatch } from '../alarms/clock-watch.ts';
import { DeadMan } from '../alarms/dead-man.ts';
import { HostAlarms } from '../alarms/host-events.ts';
import { RowFollower } from '../alarms/row-follower.ts';
import { shownHealth } from '../bots/health.ts';
import { createAlarmStore } from '../control/alarm-store.ts';
import type { BotStore } from '../control/bot-store.ts';
import type { Engines } from '../engine/engines.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { Base } from './build-folder-and-log.ts';
import type { Stores } from './build-stores.ts';
import type { Shutdown } from './shutdown.ts';

const CLOCKS_MS = 5000;
/** Due times of one bot that are counted while the machine slept. */
const MOST_DUE = 1000;

export type AlarmParts = Awaited<ReturnType<typeof buildAlarms>>;

function dueBetween(bots: BotStore, from: number, to: number): number {
  let due = 0;
  for (const bot of bots.all()) {
    if (bot.type !== 'scheduled' || !bot.enabled || bot.schedule === null) continue;
    const schedule = parseSchedule(bot.schedule, bot.timezone);
    let time = nextDue(schedule, from);
    for (let count = 0; time !== null && time <= to && count < MOST_DUE; count++) {
      due += 1;
      time = nextDue(schedule, time);
    }
  }
  return due;
}

/** Builds alarms: what turns events into messages, and what sends them. `secretsOf` is first asked once bots exist. */
export async function buildAlarms(
  { now, onError, startedAt }: Base,
  { db, ids, bots, runs, vault: box }: Stores,
  { secretsOf, shutdown }: { readonly secretsOf: (botId: string) => readonly string[]; readonly shutdown: Shutdown },
) {
  const store = createAlarmStore(db);
  const newId = (prefix: string): string => ids.next(prefix);
  const alarms = new Alarms({
    store,
    box,
    newId,
    now,
    startedAt,
    secretsOf,
    nameOf: (botId) => bots.get(botId)?.name ?? null,
    onError,
  });
  const { outbox } = alarms;
  const ofBots = new BotAlarms({ outbox, runs, store, onError });
  const ofHost = new HostAlarms({ store, outbox, newId, now, onError });
  const botsInNeed = (): number =>
    bots.all().filter((bot) => bot.enabled && !bot.deleting && needsYou(bot.status, shownHealth(bot))).length;
  const deadMan = new DeadMan({ store, box, now, botsInNeed, onError });
  const clocks = new ClockWatch({ wall: now, steady: systemClock.monotonic, up: () => uptime() * 1000 }, CLOCKS_MS);
  const looks = setInterval(() => {
    for (const fact of clocks.look((from, to) => dueBetween(bots, from, to))) ofHost.raise(fact);
  }, CLOCKS_MS);
  looks.unref();
  shutdown.add(async () => {
    clearInterval(looks);
    await Promise.all([alarms.close(), deadMan.close()]);
  });
  return {
    store,
    alarms,
    ofBots,
    ofHost,
    deadMan,
    /** Tells a user that somebody may act as them from now on. */
    gotAccess: (userId: string, words: AuditWords): void =>
      ofHost.raiseFor(userId, {
        event: 'new_access',
        title: `Somebody ${deedOf(words, {}, 'ok').trim()} with your account`,
        text: '`platform audit` and Settings, Audit say who and from where. If it was not you, change your password.',
      }),
  };
}

/** Begins to follow the rows of those bots that a rule needs rows of. */
export function followRows(
  { store, alarms: { outbox } }: AlarmParts,
  bots: BotStore,
  telemetry: Pick<Telemetry, 'subscribe'>,
  { now, onError }: Pick<Base, 'now' | 'onError'>,
): RowFollower {
  const follower = new RowFollower({ store, outbox, bots, telemetry, now, steady: systemClock.monotonic, onError });
  follower.start();
  return follower;
}

/** Tells owners when an engine stops answering, and when it answers again. */
export function tellOfEngines(engines: Engines, { ofHost }: AlarmParts): void {
  for (const engine of engines.all()) {
    const incident = `engine:${engine.name}`;
    engine.onLost(() =>
      ofHost.raise({
        event: 'engine_lost',
        title: `Engine ${engine.name} does not answer`,
        text: 'What its bots do is not known until it answers again.',
        incident,
      }),
    );
    engine.onBack(() => ofHost.recover(incident, `Engine ${engine.name} answers again`, 'Its bots are looked up.'));
  }
}

/** Tells owners that the host has come back after it ended without being stopped. */
export function tellOfCrash({ ofHost }: AlarmParts, died: { readonly pid: number; readonly seenAt: number }): void {
  ofHost.raise({
    event: 'host_crashed',
    title: 'The host came back after a crash',
    text: `The last one (process ${died.pid}) ended without being stopped, a few seconds after ${toTimestamp(died.seenAt)}.`,
  });
}
