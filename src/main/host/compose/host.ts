import { beginWork } from './begin-work.ts';
import { buildAlarms } from './build-alarms.ts';
import { serveApi } from './build-api-and-server.ts';
import { type BotParts, buildBots } from './build-bots.ts';
import { type Base, buildBase } from './build-folder-and-log.ts';
import { buildStores } from './build-stores.ts';
import { buildStorage } from './build-telemetry-and-storage.ts';
import type { HostFlags } from './flags.ts';
import type { HostParts } from './host-part-overrides.ts';
import { keepAwake } from './keep-awake.ts';
import { Shutdown } from './shutdown.ts';

/** A running host. */
export interface RunningHost {
  readonly url: string;
  /** Notes for people about this start, e.g. that the usual port was taken. */
  readonly notes: readonly string[];
  /** Ends the host; bots are ended too unless they are left for the next host. Repeatable. */
  stop(options: { readonly leave: boolean }): Promise<void>;
  /** Calls the listener when an operation asks the host to stop. */
  onStopRequest(listener: (leave: boolean) => void): void;
}

/**
 * Builds a host on a data folder, in order, and takes over the programs that an earlier host left running. If that is
 * impossible, undoes everything and rejects with a PlatformError.
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

/** Keeps the machine awake until the host ends; returns a note where it cannot. */
async function stayAwake({ logger }: Base, shutdown: Shutdown): Promise<string[]> {
  const awake = await keepAwake((why) =>
    logger.error('the machine may go to sleep although keep-awake is set', { why }),
  );
  shutdown.add(() => awake.stop());
  return awake.note === null ? [] : [awake.note];
}

async function build(flags: HostFlags, parts: HostParts, shutdown: Shutdown): Promise<RunningHost> {
  let url = '';
  const base = await buildBase(flags, shutdown);
  const stores = await buildStores(base, flags, shutdown);
  const alarms = await buildAlarms(base, stores, { secretsOf: (botId) => work.secretsOf(botId), shutdown });
  const storage = await buildStorage(base, flags, {
    alarms,
    elsewhere: () => work.states.elsewhere(),
    startWorker: parts.startWorker,
    shutdown,
  });
  const work: BotParts = await buildBots(base, stores, { flags, parts, url: () => url, storage, alarms, shutdown });
  const all = { base, stores, storage, alarms, work, flags, shutdown };
  const recovered = Promise.withResolvers<void>();
  const http = await serveApi(all, parts, () => url, recovered.promise);
  url = http.url;
  const warnings = await beginWork({ ...all, http }, recovered.resolve);
  const sleepNotes = flags.keepAwake ? await stayAwake(base, shutdown) : [];

  let ending: Promise<void> | null = null;
  return {
    url,
    notes: [...http.notes, ...work.isolationNotes, ...warnings, ...sleepNotes],
    stop({ leave }) {
      work.leaveBots(leave);
      if (ending === null) base.logger.info('host stopping', { leave });
      ending ??= shutdown.run();
      return ending;
    },
    onStopRequest: base.onStopRequest,
  };
}
