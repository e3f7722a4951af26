import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { toTimestamp } from '../../contract/common.ts';
import type { Discovery } from '../../contract/host.ts';
import { assistantIsHere } from '../../isomorphic/assistant-places.ts';
import { IdSource } from '../../isomorphic/ids.ts';
import { createApi } from '../api/create-api.ts';
import { createAuth } from '../auth/auth.ts';
import { writeFileAtomic } from '../base/atomic-write.ts';
import { systemClock } from '../base/clock.ts';
import { openDataFolder } from '../base/data-folder.ts';
import { acquireLock } from '../base/lock-file.ts';
import { createLogger } from '../base/logger.ts';
import { BotBus } from '../bots/bot-bus.ts';
import { followEngines } from '../bots/engine-watch.ts';
import { Diagnosis } from '../bots/failure/diagnosis.ts';
import { Instances } from '../bots/instances.ts';
import { Journal } from '../bots/journal.ts';
import { Launcher } from '../bots/launcher.ts';
import { BotRecords } from '../bots/records.ts';
import { recover } from '../bots/recover.ts';
import { createSchedulePort } from '../bots/schedule-port.ts';
import { Supervisor } from '../bots/supervisor.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { createSamples } from '../catalog/samples.ts';
import type { Engine } from '../engine/engine.ts';
import { HOLD_BYTES } from '../engine/output-guard.ts';
import { offlineFeed } from '../feed/offline-feed.ts';
import { isLoopback } from '../http/listen.ts';
import { createHttpServer } from '../http/server.ts';
import { Backups } from '../keep/backups.ts';
import { StorageKeeper } from '../keep/storage-keeper.ts';
import { Projects } from '../projects/projects.ts';
import { createQueryService, type QueryService } from '../query/query-service.ts';
import { Scheduler } from '../schedule/scheduler.ts';
import { createStateStore } from '../state/state-store.ts';
import { createAuthStore } from '../store/auth-store.ts';
import { createBotStore } from '../store/bot-store.ts';
import { createCatalogStore } from '../store/catalog-store.ts';
import { openHostControl } from '../store/control-database.ts';
import { createEventStore } from '../store/event-store.ts';
import { createPreferenceStore } from '../store/preference-store.ts';
import { createProjectStore } from '../store/project-store.ts';
import { createRunStore } from '../store/run-store.ts';
import { createTelemetry } from '../telemetry/create-telemetry.ts';
import { createMasker } from '../telemetry/mask/masker.ts';
import type { StartWorker } from '../telemetry/worker-link.ts';
import { buildEngines } from './build-engines.ts';
import { commandLine } from './command-line.ts';
import type { HostFlags } from './flags.ts';
import { startHousekeeping } from './housekeeping.ts';
import { mcpMounts } from './mcp-mounts.ts';
import { authoringGuide, dashboardDir, resourcesDir, VERSION } from './resources.ts';
import { writeSettings } from './settings.ts';

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
  const lock = await acquireLock(folder.lockFile);
  shutdown.add(() => lock.release());
  const masker = createMasker([]);
  const logger = createLogger({ file: folder.logFile, mask: (line) => masker.maskText(line) });
  shutdown.add(() => logger.close());
  const onError = (where: string, error: unknown): void => {
    logger.error(where, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  };
  // A fault that ends the host is in its log, not only on a terminal that nobody watches.
  const onFault = (error: unknown): void => onError('the host ends by a fault', error);
  process.on('uncaughtExceptionMonitor', onFault);
  shutdown.add(() => {
    process.off('uncaughtExceptionMonitor', onFault);
  });
  const { now } = systemClock;
  const startedAt = now();

  const db = openHostControl(folder, now);
  shutdown.add(() => {
    db.close();
  });
  const transaction = <T>(work: () => T): T => db.transaction(work)();
  const bots = createBotStore(db);
  const runs = createRunStore(db);
  const events = createEventStore(db);
  const ids = new IdSource(now, randomBytes);
  const newRunId = (): string => ids.next('run');

  const token = `local_${randomBytes(32).toString('base64url')}`;
  const auth = createAuth({ store: createAuthStore(db), now, hostToken: token, onError });
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
  const storage = new StorageKeeper({
    dataDir: folder.root,
    rules: flags,
    fixed: flags.fixed,
    waitingBytes: HOLD_BYTES,
    save: (change) => writeSettings(folder.root, change),
    keep: (retention) => telemetry.keep(retention),
    hold: (shortage) => telemetry.hold(shortage),
    onError,
  });
  shutdown.add(() => storage.stop());
  await storage.start();
  const backups = new Backups(folder, VERSION);
  await backups.sweep().catch((error: unknown) => onError('what a backup has left', error));
  shutdown.add(() => backups.close());
  let url = '';
  const { engines, images } = await buildEngines({
    dataDir: folder.root,
    flags,
    hostUrl: () => url,
    holdBytes: () => storage.waitingBytes(),
    notice: (spec, message) => telemetry.hostLine(spec.botId, 'warn', message, spec.runId),
    now,
    onError,
    shutdown,
    ...(parts.engines === undefined ? {} : { choose: parts.engines }),
  });
  const state = createStateStore({ dirOf: (botId) => folder.bot(botId).state });
  const query = createQueryService({ report: onError });
  shutdown.add(() => query.close());

  const bus = new BotBus();
  const journal = new Journal({ bots, events, bus, transaction, now });
  const folders = {
    bot: (botId: string) => folder.bot(botId).root,
    state: (botId: string) => folder.bot(botId).state,
    run: (botId: string, runId: string) => folder.bot(botId).run(runId),
  };
  const launcher = new Launcher({ engines, codes: catalog, folders, state });
  const supervisor = new Supervisor({
    bots,
    runs,
    journal,
    launcher,
    telemetry,
    folders,
    newRunId,
    now,
    random: Math.random,
    patienceMs: parts.patienceMs,
    onError,
  });
  shutdown.add(followBots(bus, query));
  let leaveBots = flags.leaveBots;
  shutdown.add(() => supervisor.close({ leave: leaveBots }));
  const liveRuns = (botId: string) => supervisor.liveRuns(botId);
  const records = new BotRecords({ bots, runs, codes: catalog, liveRuns, now, url: () => url });
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
    newId: () => ids.next('prj'),
    newRunId,
    now,
    report: onError,
  });
  shutdown.add(() => projects.close());
  await projects.endLeft();

  const stopListeners: ((leave: boolean) => void)[] = [];
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
      projects,
      bots,
      events,
      preferences: createPreferenceStore(db),
      bus,
      instances,
      records,
      supervisor,
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
        query_pool: query.waiting(),
      }),
      stopHost: (leave) => {
        for (const listener of stopListeners) listener(leave);
      },
    },
    recovered.promise,
  );
  const http = await createHttpServer({
    api,
    auth,
    flags,
    feed: offlineFeed,
    dashboardDir,
    mounts: mcpMounts({ api, auth, version: VERSION, guide: authoringGuide, now, onError }),
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

  await recover({
    bots,
    runs,
    journal,
    launcher,
    telemetry,
    supervisor,
    botsDir: folder.bots,
    asideDir: folder.aside,
    now,
    onError,
  });
  followEngines({ engines, bots, runs, journal, supervisor, now, onError });
  recovered.resolve();
  scheduler.start();
  const housekeeping = startHousekeeping({
    db,
    backupDir: folder.backups,
    backupsKept: () => storage.backupsKept,
    tick: () => {
      scheduler.tick();
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
  await writeFileAtomic(folder.hostFile, `${JSON.stringify(discovery)}\n`);
  shutdown.add(() => rm(folder.hostFile, { force: true }));
  logger.info('host started', { url, pid: process.pid, version: VERSION });

  let ending: Promise<void> | null = null;
  return {
    url,
    notes: http.notes,
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
