import { statSync } from 'node:fs';
import { listProcesses, type ProcessRow, readProc } from '../../../../node/process-table.ts';
import { systemErrorCode } from '../../../../node/system-error.ts';
import type { UnitLimits } from '../engine.ts';

/**
 * Without containers, limits are enforced in two layers:
 * - the kernel's own limits on the started program (launch.sh). They bind at once, but each process for itself, count
 *   reserved instead of used memory, and the number of processes counts per user and not at all for root. So they are
 *   wide: a bound against the worst.
 * - a check of the whole tree each second (overLimit), exact in what it counts, which ends a tree over its limit.
 */

const MB_IN_KB = 1024;

/** Returns the data segment limit (RLIMIT_DATA) in kB, for a program that reserves some memory without using it. */
function dataKb(memoryMb: number | undefined, reservedMb: number | null): number | null {
  if (memoryMb === undefined || reservedMb === null) return null;
  return (2 * memoryMb + reservedMb) * MB_IN_KB;
}

/** Returns the threads of this process's user: RLIMIT_NPROC counts those, not the processes of a tree. */
function userThreads(rows: readonly ProcessRow[], uid: number): number {
  let threads = 0;
  for (const row of rows) {
    try {
      if (statSync(`/proc/${row.pid}`).uid === uid) threads += row.threads;
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
  }
  return threads;
}

/**
 * Number of threads in reserve for programs that the user starts later, which the kernel counts too: a browser or a few
 * bots must not exhaust the limit of this program.
 */
const SPARE_THREADS = 1000;

async function processBound(processes: number | undefined): Promise<number | null> {
  const uid = process.getuid?.();
  if (processes === undefined || process.platform !== 'linux' || uid === undefined || uid === 0) return null;
  return userThreads(await listProcesses(), uid) + 2 * processes + SPARE_THREADS;
}

/** The limit arguments of launch.sh: open files, data segment in kB, processes; `-` where none is set. */
export async function launchLimits(
  limits: UnitLimits,
  reservedMb: number | null,
): Promise<readonly [string, string, string]> {
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? '-' : String(value);
  return [
    text(limits.openFiles),
    text(dataKb(limits.memoryMb, reservedMb)),
    text(await processBound(limits.processes)),
  ];
}

/** Returns the memory that only these processes use, with shared pages counted once (Linux); elsewhere resident memory. */
function ownMemory(members: readonly ProcessRow[]): number {
  let bytes = 0;
  for (const row of members) {
    const pss = /^Pss:\s+(\d+) kB/m.exec(readProc(row.pid, 'smaps_rollup') ?? '')?.[1];
    bytes += pss === undefined ? row.residentBytes : Number(pss) * 1024;
  }
  return bytes;
}

/** Returns the limit that a tree exceeds, in words for people; null while it keeps all limits. */
export function overLimit(limits: UnitLimits, members: readonly ProcessRow[]): string | null {
  const { memoryMb, processes } = limits;
  if (processes !== undefined && members.length > processes)
    return `too many processes: ${members.length}, allowed are ${processes}`;
  if (memoryMb === undefined) return null;
  const allowed = memoryMb * 1024 * 1024;
  const resident = members.reduce((sum, row) => sum + row.residentBytes, 0);
  if (resident <= allowed) return null;
  const bytes = process.platform === 'linux' ? ownMemory(members) : resident;
  return bytes <= allowed
    ? null
    : `out of memory: ${Math.ceil(bytes / 1024 / 1024)} MB used, allowed are ${memoryMb} MB`;
}
