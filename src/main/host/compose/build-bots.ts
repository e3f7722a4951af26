import { systemClock } from '../../../node/clock.ts';
import { removeTree } from '../../../node/remove-tree.ts';
import { BotBus } from '../bots/bot-bus.ts';
import { CopiedFolder } from '../bots/copied-folder.ts';
import { Holds } from '../bots/holds.ts';
import { Instances } from '../bots/instances.ts';
import { Isolation } from '../bots/isolation.ts';
import { changeLeastIsolation, leastIsolation } from '../bots/isolation-change.ts';
import { Journal } from '../bots/journal.ts';
import { LostNetworks } from '../bots/lost-networks.ts';
import { areSealed, botSecrets } from '../bots/redacted-config.ts';
import { RepeatedDeploys } from '../bots/repeated-deploys.ts';
import { openRunTokens } from '../bots/run-tokens.ts';
import { createSchedulePort } from '../bots/schedule-port.ts';
import { Supervisor } from '../bots/supervisor.ts';
import { type OpenConfig, UnitSpecs } from '../bots/unit-spec.ts';
import { BotRecords } from '../bots/wire-records.ts';
import { unrecordedTrash } from '../control/bot-store.ts';
import { createPlaceStore } from '../control/data-folder-place-record.ts';
import { createGuardStore } from '../control/guard-store.ts';
import { createIdempotencyKeyStore } from '../control/idempotency-key-store.ts';
import { storedLeastIsolation, storeLeastIsolation } from '../control/isolation-store.ts';
import type { WayToGate } from '../engine/way-to-gate.ts';
import { Guards } from '../guards/guards.ts';
import { createQueryService, type QueryService } from '../query/query-service.ts';
import { Scheduler } from '../schedule/scheduler.ts';
import { createStateStore } from '../state/state-store.ts';
import type { AlarmParts } from './build-alarms.ts';
import { buildArmedBots, buildArmings, buildStagedChanges } from './build-arming-and-approvals.ts';
import { buildEngines } from './build-engines.ts';
import type { Base } from './build-folder-and-log.ts';
import { buildNetworks, wayOfBot } from './build-networks.ts';
import type { Stores } from './build-stores.ts';
import type { StorageParts } from './build-telemetry-and-storage.ts';
import { buildTrash } from './build-trash.ts';
import type { HostFlags } from './flags.ts';
import type { HostParts } from './host-part-overrides.ts';
import type { Shutdown } from './shutdown.ts';
import { createStateViews } from './states-by-engine.ts';

/** Has the prewarmed processes follow the events of their bots. Returns a function that unsubscribes. */
function followBots(bus: BotBus, query: QueryService, onError: (where: string, error: unknown) => void): () => void {
  return bus.subscribe(({ bot_id, kind, status }) => {
    // One that waits for its turn has the live secrets of before.
    if (kind === 'disarmed') query.endRuns(bot_id).catch((error: unknown) => onError(`queries of ${bot_id}`, error));
    else if (kind === 'updated') query.forget(bot_id);
    else if (status === 'starting' || status === 'running') query.atWork(bot_id);
    else if (status === 'scheduled' || status === 'stopped') query.refresh(bot_id);
  });
}

export type BotParts = Awaited<ReturnType<typeof buildBots>>;

/** Builds all parts that run bots: engines, the supervisor with everything by which it decides, queries and schedules. */
export async function buildBots(
  base: Base,
  stores: Stores,
  {
    flags,
    parts,
    url,
    storage: { telemetry, storage },
    alarms,
    shutdown,
  }: {
    readonly flags: HostFlags;
    readonly parts: HostParts;
    /** Base URL of the host, once it listens. */
    readonly url: () => string;
    readonly storage: StorageParts;
    readonly alarms: AlarmParts;
    readonly shutdown: Shutdown;
  },
) {
  const { folder, logger, onError, now } = base;
  const { db, settled, transaction, bots, runs, events, ids, newRunId, catalog, secrets, hostKey } = stores;
  const storedLeast = storedLeastIsolation(db);
  const { engines, images, interpreters, least } = await buildEngines({
    dataDir: folder.root,
    flags,
    setting: flags.engine,
    leastFor: (level) => leastIsolation(storedLeast, { level, isNamedAtStart: flags.isEngineNamed }),
    hostUrl: url,
    gateWay: (botId): Promise<WayToGate> => wayOfBot(botId, bots, networks, unitSpecs),
    enforces: (botId): boolean => networks.mode(botId) === 'enforce',
    pauseAtBytes: () => storage.waitingBytes(),
    notice: (spec, message) => telemetry.hostLine(spec.botId, 'warn', message, spec.runId),
    now,
    onError,
    shutdown,
    ...(parts.engines === undefined ? {} : { choose: parts.engines }),
  });
  const states = createStateViews({ bots, engines, usual: (botId) => folder.bot(botId).state });
  const state = createStateStore({ viewOf: states.of });
  const query = createQueryService({ report: onError });
  shutdown.add(() => query.close());

  const bus = new BotBus();
  const journal = new Journal({
    ...{ bots, events, bus, transaction, now },
    stored: (change) => alarms.ofBots.stored(change),
  });
  const folders = {
    bot: (botId: string) => folder.bot(botId).root,
    run: (botId: string, runId: string) => folder.bot(botId).run(runId),
  };
  const isolation = new Isolation(least, engines);
  const isolationNotes = changeLeastIsolation({
    bots,
    journal,
    isolation,
    stored: storedLeast,
    store: (level) => storeLeastIsolation(db, level),
    transaction,
    now,
  });
  for (const note of isolationNotes) logger.info(note, {});
  const tokens = await openRunTokens(folder.root);
  const openConfig: OpenConfig = (userId, config) => secrets.openConfig(userId, config);
  const warn = (botId: string, text: string): void => telemetry.hostLine(botId, 'warn', text, null);
  const lostNetworks = new LostNetworks({
    ...{ bots, events, journal, telemetry, now, onError },
    liveRuns: (botId) => supervisor.liveRuns(botId),
    foundPort: () => gate.foundPort,
  });
  const { gate, networks, names } = buildNetworks({
    ...{ base, stores, journal, hostKey, url, warn, lostNetworks },
    secretsOf: (botId) => [...secretsOf(botId), ...supervisor.liveRuns(botId).flatMap((live) => live.secrets)],
    areSealed: (botId) => {
      const bot = bots.get(botId);
      return bot !== null && areSealed(unitSpecs, bot);
    },
    permitsOf: (botId) => {
      const bot = bots.get(botId);
      return bot === null ? [] : (unitSpecs.networked(bot).permits?.network ?? []);
    },
  });
  const armings = buildArmings(stores, { guardsOf: (botId) => guards.specs(botId), now });
  const unitSpecs = new UnitSpecs({
    ...{ engines, codes: catalog, folders, state, isolation, tokens, openConfig, networks, armings },
  });
  const supervisor = new Supervisor({
    bots,
    runs,
    events,
    journal,
    unitSpecs,
    telemetry,
    folders,
    removeTree,
    newRunId,
    now,
    random: Math.random,
    patienceMs: parts.patienceMs,
    begun: (bot, live) => lostNetworks.watch(bot, live),
    onError,
  });
  shutdown.add(followBots(bus, query, onError));
  const copiedFolder = new CopiedFolder({
    place: createPlaceStore(db),
    weak: settled.weak,
    bots,
    journal,
    engines,
    reconcile: (botId) => supervisor.reconcile(botId, 'manual'),
    now,
    onError,
  });
  let leavesBots = flags.leaveBots;
  // Once the gate has written its last contacts, where it ends with the host.
  shutdown.add(() => names.keepAll().catch((error: unknown) => onError('names of hosts that hold secrets', error)));
  shutdown.add(() => gate.close({ leave: leavesBots }));
  shutdown.add(
    bus.subscribe(({ bot_id, kind }) => {
      // Of one that is only in the trash it stays.
      if (kind !== 'deleted' || bots.get(bot_id) !== null) return;
      networks.forget(bot_id).catch((error: unknown) => onError(`the network record of ${bot_id}`, error));
    }),
  );
  shutdown.add(() => supervisor.close({ leave: leavesBots }));
  const leaveBots = (leave: boolean): void => {
    leavesBots = leave;
  };
  const liveRuns = (botId: string) => supervisor.liveRuns(botId);
  const staged = buildStagedChanges(stores, { now, url });
  const records = new BotRecords({ bots, runs, codes: catalog, liveRuns, isolation, armings, staged, now, url });
  const repeatedDeploys = new RepeatedDeploys({ keys: createIdempotencyKeyStore(db), hostKey, now });
  const instances = new Instances({
    ...{ repeatedDeploys, staged, armings, bots, runs, records, journal, supervisor, transaction, engines, isolation },
    ...{ newRunId, now },
    codes: catalog,
    newBotId: () => ids.next('bot'),
    interpreters,
    assertHere: () => copiedFolder.assertHere(),
    putAway: (bot) => trash.record(bot, bot.trash ?? unrecordedTrash(now())),
  });
  const trash = buildTrash(stores, {
    ...{ journal, supervisor, instances, armings, staged, records, now, onError },
  });
  const armed = buildArmedBots({
    ...{ bots, journal, supervisor, armings, instances, records, transaction, now, staged, engines, secrets, onError },
    ...{ isolation, unitSpecs },
    codes: catalog,
    assertHere: () => copiedFolder.assertHere(),
  });
  const holds = new Holds({ bots, journal, supervisor, staged, newHoldId: () => ids.next('hold'), now, onError });
  const guards = new Guards({
    ...{ bots, journal, holds, telemetry, transaction, now, onError },
    store: createGuardStore(db),
    newId: (prefix) => ids.next(prefix),
    steady: systemClock.monotonic,
  });
  shutdown.add(() => guards.close());
  const port = createSchedulePort({
    ...{ bots, runs, supervisor, transaction, newRunId, now, onError },
    missed: (bot, dueTimes, more, code, at) => alarms.ofBots.missed(bot, dueTimes, more, code, at),
  });
  const scheduler = new Scheduler(port, now, onError);
  shutdown.add(() => scheduler.stop());
  /** Secret values of a bot: of its config, and those with which its programs were started. */
  const secretsOf = (botId: string): readonly string[] => {
    const bot = bots.get(botId);
    const started = runs.unitsOf(botId).flatMap((unit) => unit.secrets);
    return [...new Set([...(bot === null ? [] : botSecrets(unitSpecs, bot)), ...started])];
  };
  return {
    ...{ engines, images, interpreters, least, states, state, query, bus, journal, isolation, isolationNotes },
    ...{
      unitSpecs,
      supervisor,
      copiedFolder,
      records,
      instances,
      trash,
      holds,
      guards,
      scheduler,
      leaveBots,
      secretsOf,
    },
    ...{ gate, networks, names, lostNetworks, armings, staged, ...armed },
  };
}
