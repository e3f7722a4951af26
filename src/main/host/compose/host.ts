import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { toTimestamp } from '../../../contract/common.ts';
import { ENGINE_OF } from '../../../contract/engine-choices.ts';
import type { Discovery } from '../../../contract/host.ts';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import { systemClock } from '../../../node/clock.ts';
import { openDataFolder } from '../../../node/data-folder.ts';
import { holdFolder } from '../../../node/hold-folder.ts';
import { createLogger } from '../../../node/logger.ts';
import { removeTree } from '../../../node/remove-tree.ts';
import { StartReserve } from '../../../node/start-reserve.ts';
import { assistantIsHere } from '../../../shared/assistant-places.ts';
import { IdSource } from '../../../shared/ids.ts';
import { namesBefore } from '../api/audit-names.ts';
import { createApi } from '../api/create-api.ts';
import { createAuth } from '../auth/auth.ts';
import { Backups } from '../backup/backups.ts';
import { StorageMonitor } from '../backup/storage-monitor.ts';
import { BotBus } from '../bots/bot-bus.ts';
import { followEngines } from '../bots/engine-watch.ts';
import { Diagnosis } from '../bots/failure/diagnosis.ts';
import { recordProven } from '../bots/health-watch.ts';
import { Instances } from '../bots/instances.ts';
import { Isolation } from '../bots/isolation.ts';
import { changeLeastIsolation, leastIsolation } from '../bots/isolation-change.ts';
import { Journal } from '../bots/journal.ts';
import { Launcher } from '../bots/launcher.ts';
import { openQueryTokens } from '../bots/query-token.ts';
import { BotRecords } from '../bots/records.ts';
import { recover } from '../bots/recover.ts';
import { Residence } from '../bots/residence.ts';
import { createSchedulePort } from '../bots/schedule-port.ts';
import { Supervisor } from '../bots/supervisor.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { createSamples } from '../catalog/samples.ts';
import { createAuthStore } from '../control/auth-store.ts';
import { createBotStore } from '../control/bot-store.ts';
import { createCatalogStore } from '../control/catalog-store.ts';
import { openHostControl } from '../control/control-database.ts';
import { createEventStore } from '../control/event-store.ts';
import { storedLeastIsolation, storeLeastIsolation } from '../control/isolation-store.ts';
import { createPlaceStore, settlePlace } from '../control/place-record.ts';
import { createPreferenceStore } from '../control/preference-store.ts';
import { createProjectStore } from '../control/project-store.ts';
import { createRunStore } from '../control/run-store.ts';
import { Wishes } from '../control/wishes.ts';
import type { Engine } from '../engine/engine.ts';
import { PAUSE_AT_BYTES } from '../engine/output-guard.ts';
import { offlineFeed } from '../feed/offline-feed.ts';
import { isLoopback } from '../http/listen.ts';
import { createHttpServer } from '../http/server.ts';
import { createTelemetry } from '../logs/create-telemetry.ts';
import { createMasker } from '../logs/mask/masker.ts';
import type { StartWorker } from '../logs/worker-link.ts';
import { assistantWords } from '../mcp/audit-words.ts';
import { Projects } from '../projects/projects.ts';
import { createQueryService, type QueryService } from '../query/query-service.ts';
import { Scheduler } from '../schedule/scheduler.ts';
import { createStateStore } from '../state/state-store.ts';
import { buildEngines } from './build-engines.ts';
import { buildTrials } from './build-trials.ts';
import { commandLine } from './command-line.ts';
import type { HostFlags } from './flags.ts';
import { startHousekeeping } from './housekeeping.ts';
import { mcpMounts } from './mcp-mounts.ts';
import { projectChecks } from './project-checks.ts';
import { authoringGuide, dashboardDir, resourcesDir, VERSION } from './resources.ts';
import { writeSettings } from './settings.ts';
import { startNotes } from './start-notes.ts';
import { createStateViews } from './state-views.ts';

/** A host that runs. */
export interface RunningHost {
  readonly url: string;
  /** What people should know about this start, e.g. that the usual port was taken. */
  readonly notes: readonly string[];
  /** Ends the host; bots are ended too unless they are left for the next host. Repeatable. */
  stop(options: { readonly leave: boolean }): Promise<void>;
  /** Called when an operation asked the host to stop. */
  onStopRequest(listener: (leave: boolean) => void): void;
}

/** Parts that a host may be built with in place of its own. */
export interface HostParts {
  /** The engines, made of the one for local processes. */
  readonly engines?: (processEngine: Engine) => readonly Engine[];
  /** How long requests wait for an engine to get ready, in ms. */
  readonly patienceMs?: number;
  /** How long a request may take to arrive, in ms. */
  readonly requestMs?: number;
  /** How the threads of telemetry are started. */
  readonly startWorker?: StartWorker;
}

/** Things to undo when the host stops, last first; the first error is kept and the rest still run. */
class Shutdown {
  readonly #steps: (() => void | Promise<void>)[] = [];

  add(step: () => void | Promise<void>): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** What waits for the next query of a bot follows what happens to it. Returns the end of that. */
function followBots(bus: BotBus, query: QueryService): () => void {
  return bus.subscribe(({ bot_id, kind, status }) => {
    if (kind === 'updated') query.forget(bot_id);
    else if (status === 'starting' || status === 'running') query.atWork(bot_id);
    else if (status === 'scheduled' || status === 'stopped') query.refresh(bot_id);
  });
}

/**
 * Builds a host on a data folder, in order, and takes over what an earlier host left running. Rejects with a
 * PlatformError, and with everything undone, when that is impossible.
 */
export async function startHost(flags: HostFlags, parts: HostParts = {}): Promise<RunningHost> {
  const shutdown = new Shutdown();
  try {
    return await build(flags, parts, shutdown);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function build(flags: HostFlags, parts: HostParts, shutdown: Shutdown): Promise<RunningHost> {
  const folder = openDataFolder(flags.dataDir);
  const reserve = new StartReserve(folder.reserveFile);
  const held = await holdFolder(folder, {
    identity: flags.hostIdentity,
    makeSpace: () => reserve.release(),
    onOther: (other) => giveWay(other),
    onError: (where, error) => onError(where, error),
  });
  shutdown.add(() => held.release());
  const masker = createMasker([]);
  const logger = createLogger({ file: folder.logFile, mask: (line) => masker.maskText(line) });
  shutdown.add(() => logger.close());
  const onError = (where: string, error: unknown): void => {
    logger.error(where, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  };
  const attempt = (where: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      onError(where, error);
    }
  };
  // A fatal error goes to the log, not only to a terminal that may be closed.
  const onFault = (error: unknown): void => onError('the host ends by a fault', error);
  process.on('uncaughtExceptionMonitor', onFault);
  shutdown.add(() => {
    process.off('uncaughtExceptionMonitor', onFault);
  });
  const { now } = systemClock;
  const startedAt = now();
  const stopListeners: ((leave: boolean) => void)[] = [];
  const stopHost = (leave: boolean): void => {
    for (const listener of stopListeners) listener(leave);
  };
  // Bots of both hosts would trade: those of this one end with it.
  const giveWay = (other: string): void => {
    onError('this host ends', new Error(`Another host works on this folder since before (${other})`));
    stopHost(false);
  };

  const db = openHostControl(folder, now);
  shutdown.add(() => {
    db.close();
  });
  const settled = await settlePlace(db, folder.root, flags.hostIdentity, now);
  const transaction = <T>(work: () => T): T => db.transaction(work)();
  const wishes = new Wishes(folder.wishFile);
  shutdown.add(() => wishes.close());
  const bots = createBotStore(db, wishes);
  const runs = createRunStore(db);
  const events = createEventStore(db);
  const ids = new IdSource(now, randomBytes);
  const newRunId = (): string => ids.next('run');

  const token = `local_${randomBytes(32).toString('base64url')}`;
  const auth = createAuth({ store: createAuthStore(db, wishes), now, hostToken: token, onError });
  shutdown.add(() => auth.close());
  const catalog = createCatalog({
    dir: folder.catalog,
    store: createCatalogStore(db),
    clock: systemClock,
    usedBy: (userId, name) => bots.using(userId, name),
  });
  const swept = await catalog.sweep();
  if (swept.missing.length > 0) logger.error('code of published versions is missing', { versions: swept.missing });

  const telemetry = await createTelemetry({
    dataDir: folder.root,
    retention: flags.retention,
    onError: (error) => onError('telemetry', error),
    ...(parts.startWorker === undefined ? {} : { startWorker: parts.startWorker }),
  });
  shutdown.add(() => telemetry.close());
  const storage = new StorageMonitor({
    dataDir: folder.root,
    rules: flags,
    fixed: flags.fixed,
    waitingBytes: PAUSE_AT_BYTES,
    save: (change) => writeSettings(folder.root, change),
    setRetention: (retention) => telemetry.setRetention(retention),
    pauseIngest: (shortage) => telemetry.pauseIngest(shortage),
    onError,
  });
  shutdown.add(() => storage.stop());
  await storage.start();
  const backups = new Backups(folder, VERSION, () => states.elsewhere());
  await backups.sweep().catch((error: unknown) => onError('what a backup has left', error));
  shutdown.add(() => backups.close());
  let url = '';
  const storedLeast = storedLeastIsolation(db);
  const least = leastIsolation(storedLeast, { engine: flags.engine, isNamedAtStart: flags.isEngineNamed });
  const { engines, images } = await buildEngines({
    dataDir: folder.root,
    flags,
    setting: least === 'container' ? ENGINE_OF.container : flags.engine,
    hostUrl: () => url,
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
  const journal = new Journal({ bots, events, bus, transaction, now });
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
  const queryTokens = await openQueryTokens(folder.root);
  const launcher = new Launcher({ engines, codes: catalog, folders, state, isolation, queryTokens });
  const supervisor = new Supervisor({
    bots,
    runs,
    events,
    journal,
    launcher,
    telemetry,
    folders,
    removeTree,
    newRunId,
    now,
    random: Math.random,
    patienceMs: parts.patienceMs,
    onError,
  });
  shutdown.add(followBots(bus, query));
  const residence = new Residence({
    place: createPlaceStore(db),
    weak: settled.weak,
    bots,
    journal,
    engines,
    reconcile: (botId) => supervisor.reconcile(botId, 'manual'),
    now,
    onError,
  });
  let leaveBots = flags.leaveBots;
  shutdown.add(() => supervisor.close({ leave: leaveBots }));
  const liveRuns = (botId: string) => supervisor.liveRuns(botId);
  const records = new BotRecords({ bots, runs, codes: catalog, liveRuns, isolation, now, url: () => url });
  const instances = new Instances({
    bots,
    runs,
    records,
    journal,
    codes: catalog,
    supervisor,
    transaction,
    newBotId: () => ids.next('bot'),
    newRunId,
    now,
    engines,
    isolation,
    assertHere: () => residence.assertHere(),
  });
  const port = createSchedulePort({ bots, runs, supervisor, transaction, newRunId, now, onError });
  const scheduler = new Scheduler(port, now, onError);
  shutdown.add(() => scheduler.stop());

  const projects = new Projects({
    store: createProjectStore(db),
    published: {
      publish: (userId, source) => catalog.publish(userId, source),
      versions: (userId, name) => catalog.list(userId).find((one) => one.name === name)?.versions ?? [],
      codeDir: (userId, name, version) => catalog.open(userId, name, version).codeDir,
    },
    dataDir: folder.root,
    resourcesDir,
    setting: flags.projects,
    reachable: !isLoopback(flags.listen),
    ...projectChecks(isolation),
    newId: () => ids.next('prj'),
    newRunId,
    now,
    report: onError,
  });
  shutdown.add(() => projects.close());
  await projects.endLeft();

  const trials = await buildTrials({ dataDir: folder.root, flags, engines, isolation, catalog, onError, shutdown });
  const recovered = Promise.withResolvers<void>();
  const api = createApi(
    {
      auth,
      catalog,
      samples: createSamples({
        dir: `${resourcesDir}/examples`,
        catalog,
        obstacle: (runtime) => engines.obstacle(runtime),
        feedUrl: () => `${url}/feed`,
        now,
      }),
      trials,
      projects,
      bots,
      events,
      preferences: createPreferenceStore(db),
      bus,
      instances,
      records,
      supervisor,
      residence,
      diagnosis: new Diagnosis({ runs, events, telemetry, codes: catalog, supervisor, now }),
      launcher,
      telemetry,
      state,
      query,
      images,
      backups,
      storage,
      isHere: (assistant) =>
        assistantIsHere(assistant, { os: process.platform, home: homedir(), env: process.env }, existsSync),
      assistantWords,
      newRunId,
      now,
      rescheduled: () => scheduler.tick(),
      hostInfo: async () => ({
        version: VERSION,
        node: process.versions.node,
        platform: `${process.platform} ${process.arch}`,
        pid: process.pid,
        url,
        data_dir: folder.root,
        home_dir: homedir(),
        command: commandLine(flags.node),
        feed_url: `${url}/feed`,
        started_at: toTimestamp(startedAt),
        engines: await engines.probe(),
        least_isolation: least,
        query_pool: query.waiting(),
        place: residence.info(),
      }),
      stopHost,
    },
    recovered.promise,
  );
  const http = await createHttpServer({
    api,
    auth,
    flags,
    feed: offlineFeed,
    dashboardDir,
    mounts: mcpMounts({
      api,
      auth,
      version: VERSION,
      guide: authoringGuide,
      now,
      onError,
      auditNames: (words, input, who) => namesBefore({ auth, bots, projects }, words, input, who),
    }),
    ...(flags.requestsPerSecond === null
      ? {}
      : { rate: { perSecond: flags.requestsPerSecond, burst: 2 * flags.requestsPerSecond } }),
    ...(parts.requestMs === undefined ? {} : { requestMs: parts.requestMs }),
    version: VERSION,
    logger,
    now,
  });
  shutdown.add(() => http.close());
  url = http.url;

  const left = new Set(runs.units().map(({ runId }) => runId));
  await recover({
    bots,
    runs,
    launcher,
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
  await residence.startWaiting();
  followEngines({ engines, bots, runs, supervisor, onError });
  recovered.resolve();
  scheduler.start();
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
      // On a full disk it cannot be written: an error here would end the host.
      attempt('health of bots', () =>
        recordProven({ bots, journal, liveRuns: (botId) => supervisor.liveRuns(botId), now }),
      );
      supervisor.reconcileAll().catch((error: unknown) => onError('a look at all bots', error));
    },
    daily: () => auth.prune(),
    now,
    onError,
  });
  shutdown.add(() => housekeeping.stop());

  const discovery: Discovery = {
    url,
    port: http.port,
    pid: process.pid,
    started_at: toTimestamp(startedAt),
    version: VERSION,
    token,
  };
  reserve.releaseLast();
  await writeFileAtomic(folder.hostFile, `${JSON.stringify(discovery)}\n`);
  shutdown.add(() => rm(folder.hostFile, { force: true }));
  reserve.take();
  const warnings = await startNotes({ held, residence, isolation, takenOver: takenOver.size });
  for (const note of warnings) logger.warn(note);
  logger.info('host started', { url, pid: process.pid, version: VERSION, folder_ms: held.tookMs });

  let ending: Promise<void> | null = null;
  return {
    url,
    notes: [...http.notes, ...isolationNotes, ...warnings],
    stop({ leave }) {
      leaveBots = leave;
      if (ending === null) logger.info('host stopping', { leave });
      ending ??= shutdown.run();
      return ending;
    },
    onStopRequest: (listener) => {
      stopListeners.push(listener);
    },
  };
}
