import { systemClock } from '../../../node/clock.ts';
import { openDataFolder } from '../../../node/data-folder.ts';
import { holdFolder } from '../../../node/hold-folder.ts';
import { createLogger } from '../../../node/logger.ts';
import { StartReserve } from '../../../node/start-reserve.ts';
import { createMasker } from '../logs/mask/masker.ts';
import type { HostFlags } from './flags.ts';
import type { Shutdown } from './shutdown.ts';

export type Base = Awaited<ReturnType<typeof buildBase>>;

/**
 * Builds the base of all other parts: the data folder, locked for this host alone, its log file, and the handling of a
 * request to give way to another host.
 */
export async function buildBase(flags: Pick<HostFlags, 'dataDir' | 'hostIdentity'>, shutdown: Shutdown) {
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
  // The bots of both hosts would trade at once: the bots of this host end with it.
  const giveWay = (other: string): void => {
    onError('this host ends', new Error(`Another host works on this folder since before (${other})`));
    stopHost(false);
  };
  const onStopRequest = (listener: (leave: boolean) => void): void => {
    stopListeners.push(listener);
  };
  return { folder, reserve, held, logger, onError, attempt, now, startedAt, stopHost, onStopRequest };
}
