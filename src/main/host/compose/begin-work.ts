import { rm } from 'node:fs/promises';
import { toTimestamp } from '../../../contract/common.ts';
import type { Discovery } from '../../../contract/host.ts';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import { keepArmings } from '../bots/arming-upkeep.ts';
import { recordDuplicateOrders } from '../bots/duplicate-orders.ts';
import { followEngines } from '../bots/engine-watch.ts';
import { confinementsOf } from '../bots/live-run.ts';
import { needGate } from '../bots/lost-networks.ts';
import { recordProven } from '../bots/record-proven-health.ts';
import { recover, startBots } from '../bots/recover.ts';
import type { createHttpServer } from '../http/server.ts';
import { type AlarmParts, followRows, tellOfDailyCopy, tellOfEngines, tellOfStart } from './build-alarms.ts';
import type { BotParts } from './build-bots.ts';
import type { Base } from './build-folder-and-log.ts';
import type { Stores } from './build-stores.ts';
import type { StorageParts } from './build-telemetry-and-storage.ts';
import { startHousekeeping } from './housekeeping.ts';
import { VERSION } from './product-resources.ts';
import type { Shutdown } from './shutdown.ts';
import { startNotes } from './start-notes.ts';

interface WorkParts {
  readonly base: Base;
  readonly stores: Stores;
  readonly storage: StorageParts;
  readonly alarms: AlarmParts;
  readonly work: BotParts;
  readonly http: Pick<Awaited<ReturnType<typeof createHttpServer>>, 'url' | 'port'>;
  readonly shutdown: Shutdown;
}

/** Takes over the programs that an earlier host left running. Resolves to the number of their bots, and to what `start` starts. */
async function takeOver({ base, stores, storage: { telemetry }, work }: WorkParts) {
  const { folder, now, onError } = base;
  const { bots, runs } = stores;
  const { unitSpecs, supervisor, networks } = work;
  telemetry.onDuplicateOrders((botId, orders) =>
    recordDuplicateOrders({ bots, events: stores.events, journal: work.journal, onError }, botId, orders),
  );
  // Without their key no secret reaches a program, and what they would be started with is not known.
  if (stores.vault.isOpen) work.armExisting();
  const left = new Set(runs.units().map(({ runId }) => runId));
  const unstarted = await recover({
    bots,
    runs,
    unitSpecs,
    telemetry,
    supervisor,
    botsDir: folder.bots,
    asideDir: folder.aside,
    now,
    onError,
  });
  const takenOver = new Set(
    bots
      .all()
      .flatMap(({ botId }) => supervisor.liveRuns(botId).flatMap(({ run }) => (left.has(run.runId) ? [botId] : []))),
  );
  for (const bot of bots.all()) {
    const running = confinementsOf(supervisor.liveRuns(bot.botId));
    if (running.length === 0) continue;
    const told = networks.tellAgain(unitSpecs.networked(bot), running);
    await told.catch((error: unknown) => onError(`what the gate knows of ${bot.botId}`, error));
  }
  return { takenOver: takenOver.size, unstarted };
}

/** Begins to judge and to tell of what bots do, and of what has become of the host. */
function watch({ base, stores, storage: { telemetry }, alarms, work, shutdown }: WorkParts): void {
  work.guards.start();
  tellOfStart(alarms, base, work.copiedFolder.info().state === 'copied');
  const follower = followRows(alarms, stores.bots, telemetry, base);
  shutdown.add(() => follower.close());
  alarms.alarms.start();
  alarms.deadMan.start();
}

/** Looks for the gate of an earlier host, or starts one for programs that look for it. Nothing waits for that but the programs. */
function followGate({ base: { onError }, stores: { bots }, work }: WorkParts): void {
  const { gate, copiedFolder, supervisor } = work;
  if (copiedFolder.info().state === 'copied') return;
  const isNeeded = bots.all().some(({ botId }) => needGate(supervisor.liveRuns(botId)));
  gate.takeOver({ isNeeded }).catch((error: unknown) => onError('the gate of an earlier host', error));
}

/** Starts the bots and runs that are due. */
async function start(
  { base: { onError }, stores: { bots, runs }, work }: WorkParts,
  unstarted: Awaited<ReturnType<typeof recover>>,
): Promise<void> {
  const { engines, supervisor, copiedFolder, scheduler } = work;
  await startBots({ bots, supervisor, onError }, unstarted);
  await copiedFolder.startWaiting();
  followEngines({ engines, bots, runs, supervisor, onError });
  scheduler.start();
}

/** Starts the work of every minute and every day. */
function keepHouse({ base, stores, storage: { storage }, alarms, work, shutdown }: WorkParts): void {
  const { folder, reserve, attempt, now, onError } = base;
  const { db, auth, bots, wishes } = stores;
  const { scheduler, instances, journal, supervisor, lostNetworks } = work;
  const housekeeping = startHousekeeping({
    db,
    backupDir: folder.backups,
    backupsKept: () => storage.backupsKept,
    tick: () => {
      scheduler.tick();
      attempt('space for the next start', () => reserve.take());
      attempt('keys and sessions after a full disk', () => auth.settle());
      attempt('changes that the disk refused', () => wishes.storeAll());
      instances.settleWishes().catch((error: unknown) => onError('what the full disk kept from being recorded', error));
      // The health of bots cannot be written on a full disk: an error here would end the host.
      attempt('health of bots', () =>
        recordProven({ bots, journal, liveRuns: (botId) => supervisor.liveRuns(botId), now }),
      );
      attempt('networks of bots', () => lostNetworks.lookAtAll());
      work.names.keepAll().catch((error: unknown) => onError('names of hosts that hold secrets', error));
      attempt('armings', () => keepArmings({ ...work, bots, now, onError }));
      attempt('the trash', () => work.trash.eraseOld());
      attempt('what waits for a person', () => work.approvals.dropOver());
      supervisor.reconcileAll().catch((error: unknown) => onError('a look at all bots', error));
    },
    daily: () => auth.prune(),
    backedUp: (error) => tellOfDailyCopy(alarms, error),
    now,
    onError,
  });
  shutdown.add(() => housekeeping.stop());
  const dropOver = (): void => attempt('what a revoked key has asked', () => work.approvals.dropOver());
  shutdown.add(auth.onTakenBack(dropOver));
}

/** Lets local clients find the host, as the last step of its start. */
async function announce({ base, stores: { token }, http: { url, port }, shutdown }: WorkParts): Promise<void> {
  const { folder, reserve, startedAt } = base;
  const discovery: Discovery = {
    url,
    port,
    pid: process.pid,
    started_at: toTimestamp(startedAt),
    version: VERSION,
    token,
  };
  reserve.releaseLast();
  await writeFileAtomic(folder.hostFile, `${JSON.stringify(discovery)}\n`);
  shutdown.add(() => rm(folder.hostFile, { force: true }));
  reserve.take();
}

/**
 * Begins the work of a host that is built, and calls `recovered` once it may answer requests. Resolves to notes for people about
 * this start. What protects bots that run comes before the start of others, which may have to wait for the gate or an engine.
 */
export async function beginWork(parts: WorkParts, recovered: () => void): Promise<readonly string[]> {
  const { base, work, http } = parts;
  const { takenOver, unstarted } = await takeOver(parts);
  watch(parts);
  recovered();
  followGate(parts);
  await start(parts, unstarted);
  keepHouse(parts);
  await announce(parts);
  const { stores, alarms, shutdown } = parts;
  // Not before: an engine may begin after the host, and has time for that.
  tellOfEngines({ engines: work.engines, bots: stores.bots, alarms, shutdown, onError: base.onError });
  const { copiedFolder, isolation } = work;
  const warnings = await startNotes({ held: base.held, copiedFolder, isolation, takenOver });
  for (const note of warnings) base.logger.warn(note);
  const { tookMs } = base.held;
  base.logger.info('host started', { url: http.url, pid: process.pid, version: VERSION, folder_ms: tookMs });
  return warnings;
}
