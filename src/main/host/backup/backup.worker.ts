import { parentPort, workerData } from 'node:worker_threads';
import { PlatformError } from '../../../contract/errors.ts';
import { systemClock } from '../../../node/clock.ts';
import { dataFolderAt } from '../../../node/data-folder.ts';
import { writeBackup } from './backup.ts';
import type { BackupMessage, BackupTask } from './backup-runner.ts';

const { dataDir, withLogs, version, states } = workerData as BackupTask;

function say(message: BackupMessage): void {
  parentPort?.postMessage(message);
}

try {
  const folder = dataFolderAt(dataDir);
  say({ ok: true, result: await writeBackup({ folder, withLogs, version, states, now: systemClock.now }) });
} catch (error) {
  const said = error instanceof Error ? error.message : String(error);
  const known = error instanceof PlatformError ? error : new PlatformError('INTERNAL', `The backup failed: ${said}`);
  say({ ok: false, error: known.toBody() });
}
