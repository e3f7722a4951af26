import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { toTimestamp } from '../../../contract/common.ts';
import { systemClock } from '../../../node/clock.ts';
import { assistantIsHere } from '../../../shared/assistant-places.ts';
import { namesBefore } from '../api/audit-names-and-words.ts';
import { createApi } from '../api/create-api.ts';
import { createHostMetrics } from '../api/host-metrics.ts';
import { Pins } from '../auth/pins.ts';
import { Diagnosis } from '../bots/failure/diagnosis.ts';
import { createSamples } from '../catalog/samples.ts';
import { createPinStore } from '../control/pin-store.ts';
import { createPreferenceStore } from '../control/preference-store.ts';
import { createProjectStore } from '../control/project-store.ts';
import { offlineFeed } from '../feed/offline-feed.ts';
import { isLoopback } from '../http/listen.ts';
import { createHttpServer } from '../http/server.ts';
import { BOT_CHANGE_BY_TOOL } from '../mcp/bot-change-by-tool.ts';
import { ASSISTANT_WORDS } from '../mcp/tool-audit-words.ts';
import { Projects } from '../projects/projects.ts';
import type { AlarmParts } from './build-alarms.ts';
import type { BotParts } from './build-bots.ts';
import type { Base } from './build-folder-and-log.ts';
import type { Stores } from './build-stores.ts';
import type { StorageParts } from './build-telemetry-and-storage.ts';
import { buildTrials } from './build-trials.ts';
import type { HostFlags } from './flags.ts';
import type { HostParts } from './host-part-overrides.ts';
import { mcpMounts } from './mcp-mounts.ts';
import { commandLine } from './platform-command.ts';
import { authoringGuide, dashboardDir, resourcesDir, VERSION, viewCageScript } from './product-resources.ts';
import { projectChecks } from './project-isolation-checks.ts';
import type { Shutdown } from './shutdown.ts';

/** All that the API reaches. */
interface ApiParts {
  readonly base: Base;
  readonly stores: Stores;
  readonly storage: StorageParts;
  readonly alarms: AlarmParts;
  readonly work: BotParts;
  readonly flags: HostFlags;
  readonly shutdown: Shutdown;
}

async function buildProjects({ base, stores, work, flags, shutdown }: ApiParts): Promise<Projects> {
  const { folder, now, onError } = base;
  const { db, catalog, ids, newRunId } = stores;
  const { interpreters, isolation } = work;
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
    interpreter: (command) => interpreters.fileOf(command),
    newId: () => ids.next('prj'),
    newRunId,
    now,
    report: onError,
  });
  shutdown.add(() => projects.close());
  await projects.endLeft();
  return projects;
}

type Served = Omit<ApiParts, 'shutdown'> & {
  readonly projects: Projects;
  readonly trials: Awaited<ReturnType<typeof buildTrials>>;
  readonly url: () => string;
};

function buildApi(
  { base, stores, storage: kept, alarms, work, flags, projects, trials, url }: Served,
  recovered: Promise<void>,
) {
  const { folder, now, startedAt, stopHost, onError } = base;
  const { db, auth, catalog, bots, events, runs, newRunId, vault, secrets, sealAll } = stores;
  const { telemetry, storage, backups } = kept;
  const {
    engines,
    images,
    interpreters,
    least,
    bus,
    instances,
    trash,
    holds,
    guards,
    armings,
    armedBots,
    armExisting,
    approvals,
    staged,
    networks,
    records,
    supervisor,
    copiedFolder,
    unitSpecs,
    state,
    query,
  } = work;
  const { scheduler } = work;
  return createApi(
    {
      auth,
      pins: new Pins({
        store: createPinStore(db),
        now,
        steady: systemClock.monotonic,
        tellOfWrong: (userId, title, text) => alarms.ofHost.tellAll(userId, 'wrong_pin', title, text),
        tellOfChange: (userId, title, text) => alarms.alarms.outbox.tellAll(userId, 'pin_changed', title, text),
      }),
      catalog,
      samples: createSamples({
        dir: `${resourcesDir}/examples`,
        catalog,
        obstacle: (runtime) => engines.obstacle(runtime),
        feedUrl: () => `${url()}/feed`,
        now,
      }),
      trials,
      projects,
      bots,
      events,
      preferences: createPreferenceStore(db),
      alarms: alarms.alarms,
      vault,
      secrets,
      sealAll,
      deadMan: alarms.deadMan,
      bus,
      instances,
      trash,
      holds,
      guards,
      armings,
      armedBots,
      armExisting,
      approvals,
      staged,
      networks,
      isolation: work.isolation,
      records,
      supervisor,
      copiedFolder,
      diagnosis: new Diagnosis({ runs, events, telemetry, codes: catalog, supervisor, now }),
      unitSpecs,
      telemetry,
      state,
      query,
      images,
      interpreters,
      backups,
      storage,
      isHere: (assistant) =>
        assistantIsHere(assistant, { os: process.platform, home: homedir(), env: process.env }, existsSync),
      assistantSetUp: {
        reachable: !isLoopback(flags.listen),
        reach: () => ({
          url: url(),
          program: commandLine(),
          typed: commandLine(),
          // The folder leads to the host also when it has another port one day.
          arguments: ['--data', folder.root],
          machine: { os: process.platform, home: homedir(), env: process.env, exists: existsSync },
        }),
        keys: {
          list: (userId) => auth.listKeys(userId),
          create: (userId, input) => auth.createKey(userId, input),
          revoke: (userId, keyId) => auth.revokeKey(userId, keyId),
        },
      },
      assistantWords: ASSISTANT_WORDS,
      assistantChanges: BOT_CHANGE_BY_TOOL,
      newRunId,
      now,
      rescheduled: () => scheduler.tick(),
      hostInfo: async () => ({
        version: VERSION,
        node: process.versions.node,
        platform: `${process.platform} ${process.arch}`,
        pid: process.pid,
        url: url(),
        data_dir: folder.root,
        home_dir: homedir(),
        command: commandLine(),
        feed_url: `${url()}/feed`,
        started_at: toTimestamp(startedAt),
        engines: await engines.probe(),
        least_isolation: least,
        query_pool: query.waiting(),
        place: copiedFolder.info(),
      }),
      stopHost,
      onError,
    },
    recovered,
  );
}

/** The API over all services, and the server that answers; everything but a health check waits until `recovered`. */
export async function serveApi(parts: ApiParts, host: HostParts, url: () => string, recovered: Promise<void>) {
  const { base, stores, work, flags, shutdown } = parts;
  const { folder, logger, now, startedAt, onError } = base;
  const { auth, bots, runs, catalog } = stores;
  const { engines, interpreters, isolation, records, supervisor } = work;
  const { telemetry } = parts.storage;
  const projects = await buildProjects(parts);
  const trials = await buildTrials({
    dataDir: folder.root,
    flags,
    engines,
    isolation,
    interpreters,
    catalog,
    onError,
    shutdown,
  });
  const api = buildApi({ ...parts, projects, trials, url }, recovered);
  const http = await createHttpServer({
    api,
    auth,
    flags,
    feed: offlineFeed,
    dashboardDir,
    viewCageScript,
    mounts: mcpMounts({
      api,
      auth,
      version: VERSION,
      guide: authoringGuide,
      now,
      onError,
      auditNames: (words, input, who) => namesBefore({ auth, bots, projects, staged: work.staged }, words, input, who),
    }),
    metrics: createHostMetrics({
      ...{ bots, runs, records, supervisor, telemetry, startedAt, now, onError },
      version: VERSION,
    }),
    ...(flags.requestsPerSecond === null
      ? {}
      : { rate: { perSecond: flags.requestsPerSecond, burst: 2 * flags.requestsPerSecond } }),
    ...(host.requestMs === undefined ? {} : { requestMs: host.requestMs }),
    version: VERSION,
    logger,
    now,
  });
  shutdown.add(() => http.close());
  return http;
}
