import type { BackupInfo, NewBackup, Restored } from '../../../contract/backup.ts';
import { invalid } from '../../../contract/errors.ts';
import { systemClock } from '../../../node/clock.ts';
import { dataFolderAt, openDataFolder } from '../../../node/data-folder.ts';
import { holdFolder } from '../../../node/hold-folder.ts';
import { listBackups, writeBackup } from '../backup/backup.ts';
import { restoreBackup } from '../backup/restore.ts';
import { settleUnopened } from '../control/data-folder-place-record.ts';
import { PAUSE_AT_BYTES } from '../engine/output-back-pressure.ts';
import { buildEngines } from './build-engines.ts';
import { parseHostFlags, readIdentity } from './flags.ts';
import { VERSION } from './product-resources.ts';

export interface ArchiveRequest {
  readonly command: string;
  readonly dataDir: string;
  /** Absolute; of `restore` alone. */
  readonly file: string;
  readonly withLogs: boolean;
  readonly startBots: boolean;
}

/**
 * Ends what an earlier host has left running on a data folder, with the engines that a host there would have. What an
 * engine cannot reach now is ended by the next host.
 */
async function endPrograms(dataDir: string): Promise<readonly string[]> {
  const steps: (() => void | Promise<void>)[] = [];
  const onError = (where: string, error: unknown): void => {
    process.stderr.write(`${where}: ${error instanceof Error ? error.message : String(error)}\n`);
  };
  try {
    const flags = parseHostFlags(['--data', dataDir], process.env);
    const { engines } = await buildEngines({
      dataDir,
      flags,
      setting: flags.engine,
      leastFor: () => 'none',
      hostUrl: () => '',
      gateWay: () => Promise.reject(new Error('no program is started here')),
      enforces: () => true,
      notice: () => undefined,
      pauseAtBytes: () => PAUSE_AT_BYTES,
      now: systemClock.now,
      onError,
      shutdown: { add: (step) => void steps.push(step) },
    });
    return await engines.endOrphans(() => false, onError);
  } finally {
    for (const step of steps.reverse()) await step();
  }
}

/**
 * Does what the command line asks for on a data folder itself. A host may run on it meanwhile, but not for `restore`,
 * which throws HOST_RUNNING then.
 */
export async function runArchive(request: ArchiveRequest): Promise<NewBackup | Restored | { items: BackupInfo[] }> {
  const { command, dataDir, file, withLogs, startBots } = request;
  const { now } = systemClock;
  if (command === 'list') return { items: await listBackups(dataFolderAt(dataDir)) };
  if (command !== 'backup' && command !== 'restore') {
    throw invalid('INVALID_REQUEST', [{ path: 'command', message: `"${command}" is none of backup, list, restore` }]);
  }
  if (command === 'backup') return writeBackup({ folder: dataFolderAt(dataDir), withLogs, version: VERSION, now });
  const folder = openDataFolder(dataDir);
  const identity = readIdentity(undefined, process.env);
  const held = await holdFolder(folder, { identity });
  try {
    // Programs of the folder that this one was copied from must not be taken for its own.
    await settleUnopened(folder.controlDatabase, folder.root, identity, now);
    return await restoreBackup({ folder, file, startBots, now, endPrograms: () => endPrograms(folder.root) });
  } finally {
    await held.release();
  }
}
