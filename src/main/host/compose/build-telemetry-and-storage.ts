import { errorText } from '../../../node/system-error.ts';
import { Backups } from '../backup/backup-runner.ts';
import { StorageMonitor } from '../backup/storage-monitor.ts';
import { PAUSE_AT_BYTES } from '../engine/output-back-pressure.ts';
import { createTelemetry } from '../logs/create-telemetry.ts';
import type { StartWorker } from '../logs/worker-link.ts';
import type { AlarmParts } from './build-alarms.ts';
import type { Base } from './build-folder-and-log.ts';
import type { HostFlags } from './flags.ts';
import { VERSION } from './product-resources.ts';
import { writeSettings } from './settings.ts';
import type { Shutdown } from './shutdown.ts';

/** Tells owners that the disk runs full, and when it does not any more. */
function tellOfSpace({ ofHost }: AlarmParts, shortage: string | null): void {
  if (shortage === null)
    ofHost.recover('disk', 'There is space on the disk of the host again', 'Lines are stored again.');
  else ofHost.raise({ event: 'disk', title: 'The disk of the host runs full', text: shortage, incident: 'disk' });
}

/** Builds the parts that take space on the disk and watch it: logs and metrics of bots, the rules of retention, backups. */
export async function buildStorage(
  { folder, now, onError }: Base,
  flags: HostFlags,
  {
    alarms,
    elsewhere,
    startWorker,
    shutdown,
  }: {
    readonly alarms: AlarmParts;
    /** Finds the states of bots that lie outside of the data folder. */
    readonly elsewhere: ConstructorParameters<typeof Backups>[2];
    readonly startWorker: StartWorker | undefined;
    readonly shutdown: Shutdown;
  },
) {
  const telemetry = await createTelemetry({
    dataDir: folder.root,
    retention: flags.retention,
    onError: (error) => onError('telemetry', error),
    ...(startWorker === undefined ? {} : { startWorker }),
  });
  shutdown.add(() => telemetry.close());
  const storage = new StorageMonitor({
    dataDir: folder.root,
    rules: flags,
    fixed: flags.fixed,
    waitingBytes: PAUSE_AT_BYTES,
    save: (change) => writeSettings(folder.root, change),
    setRetention: (retention) => telemetry.setRetention(retention),
    pauseIngest: (shortage) => {
      telemetry.pauseIngest(shortage);
      tellOfSpace(alarms, shortage);
    },
    onError,
  });
  shutdown.add(() => storage.stop());
  await storage.start();
  // An earlier host may have ended before it could tell so.
  if (!(await storage.info()).low) tellOfSpace(alarms, null);
  alarms.ofBackups.tellOfCut();
  const backups = new Backups(folder, VERSION, elsewhere, {
    begun: () => alarms.ofBackups.begun(now()),
    ended: (error) => alarms.ofBackups.ended(error === null ? null : errorText(error)),
  });
  await backups.sweep().catch((error: unknown) => onError('what a backup has left', error));
  shutdown.add(() => backups.close());
  return { telemetry, storage, backups };
}

export type StorageParts = Awaited<ReturnType<typeof buildStorage>>;
