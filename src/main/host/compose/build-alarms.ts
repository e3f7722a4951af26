import { uptime } from 'node:os';
import { systemClock } from '../../../node/clock.ts';
import { bootId } from '../../../node/process-identity.ts';
import { errorText } from '../../../node/system-error.ts';
import { needsYou } from '../../../shared/health.ts';
import { nextDue, parseSchedule } from '../../../shared/schedule.ts';
import { Alarms } from '../alarms/alarms.ts';
import { BotAlarms } from '../alarms/bot-alarms.ts';
import { DeadMan } from '../alarms/dead-man.ts';
import { HostAlarms } from '../alarms/host-events.ts';
import { BackupAlarms, MarkedClocks, markRunning, unmarkRunning } from '../alarms/host-marks.ts';
import { RowFollower } from '../alarms/row-follower.ts';
import type { Gained } from '../auth/auth.ts';
import { shownHealth } from '../bots/health.ts';
import { createAlarmStore } from '../control/alarm-store.ts';
import type { BotStore } from '../control/bot-store.ts';
import type { Engines } from '../engine/engines.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { Base } from './build-folder-and-log.ts';
import type { Stores } from './build-stores.ts';
import type { Shutdown } from './shutdown.ts';

const CLOCKS_MS = 5000;
/** How long an engine may take to answer after the start of a host, which may begin before it. */
const ENGINE_START_MS = 60_000;
/** What somebody did to act as a user. */
const GAINED: Readonly<Record<Gained['by'], string>> = {
  password: 'logged in',
  link: 'logged in by a link',
  key: 'made a key',
  code: 'collected the key of an approved log-in by code',
};
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
  { db, ids, auth, bots, runs, events, vault: box }: Stores,
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
  const ofBots = new BotAlarms({ outbox, runs, events, store, onError });
  const ofHost = new HostAlarms({ store, outbox, newId, now, onError });
  const botsInNeed = (): number =>
    bots.all().filter((bot) => bot.enabled && !bot.deleting && needsYou(bot.status, shownHealth(bot))).length;
  const deadMan = new DeadMan({ store, box, now, botsInNeed, onError });
  const readings = { wall: now, steady: systemClock.monotonic, up: () => uptime() * 1000 };
  const clocks = new MarkedClocks({ store, ofHost }, await bootId(), readings, CLOCKS_MS);
  const looks = setInterval(() => {
    ofHost.settle();
    clocks.look((from, to) => dueBetween(bots, from, to));
  }, CLOCKS_MS);
  looks.unref();
  auth.onGained(({ userId, id, by }) =>
    ofHost.raiseWith(userId, `access:${id}`, {
      event: 'new_access',
      title: `Somebody ${GAINED[by]} with your account`,
      text: '`platform audit` and Settings, Audit say who and from where. If it was not you, change your password.',
    }),
  );
  shutdown.add(async () => {
    clearInterval(looks);
    unmarkRunning({ store, ofHost }, { pid: process.pid, startedAt });
    await Promise.all([alarms.close(), deadMan.close()]);
  });
  return {
    store,
    alarms,
    ofBots,
    ofHost,
    ofBackups: new BackupAlarms({ store, ofHost }),
    deadMan,
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

/** Tells owners when an engine stops answering, and when it answers again; also where an earlier host could not tell so. */
export function tellOfEngines({
  engines,
  bots,
  alarms: { ofHost },
  shutdown,
  onError,
}: {
  readonly engines: Engines;
  readonly bots: Pick<BotStore, 'all'>;
  readonly alarms: AlarmParts;
  readonly shutdown: Shutdown;
  readonly onError: Base['onError'];
}): void {
  const lost = (name: string): void =>
    ofHost.raise({
      event: 'engine_lost',
      title: `Engine ${name} does not answer`,
      text: 'What its bots do is not known until it answers again.',
      incident: `engine:${name}`,
    });
  const back = (name: string): void =>
    ofHost.recover(`engine:${name}`, `Engine ${name} answers again`, 'The host is checking its bots.');
  for (const engine of engines.all()) {
    engine.onLost(() => lost(engine.name));
    engine.onBack(() => back(engine.name));
    const isUsed = (): boolean => bots.all().some((bot) => bot.engine === engine.name && bot.trash === null);
    const timer = setTimeout(() => {
      if (!isUsed()) return;
      engine.probe().then(
        ({ available }) => (available ? back(engine.name) : lost(engine.name)),
        (error: unknown) => onError(`engine ${engine.name}`, error),
      );
    }, ENGINE_START_MS);
    timer.unref();
    shutdown.add(() => clearTimeout(timer));
  }
}

/** Tells owners when the daily copy of the control database fails, and when it is made again. */
export function tellOfDailyCopy({ ofHost }: AlarmParts, error: unknown): void {
  const incident = 'daily_copy';
  if (error === null) {
    ofHost.recover(incident, 'The daily copy of the control database was made again', 'It is in `backups/`.');
    return;
  }
  ofHost.raise({
    event: 'backup_failed',
    title: 'The daily copy of the control database failed',
    text: `${errorText(error)}. The log of the host says more; it is tried again every hour.`,
    incident,
  });
}

/** Tells owners where the host has come back after it ended without being stopped. `isCopied`: its folder is a copy. */
export function tellOfStart({ store, ofHost }: AlarmParts, { held, startedAt }: Base, isCopied: boolean): void {
  markRunning({ store, ofHost }, { pid: process.pid, startedAt, died: held.died, isCopied });
}
