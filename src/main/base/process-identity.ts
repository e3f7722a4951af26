import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { findProcess, linuxProcess } from './process-table.ts';
import { systemErrorCode } from './system-error.ts';

const run = promisify(execFile);

/**
 * One process for good: a pid alone is used again by the OS. `started` and `boot` are opaque texts of the OS and only
 * compared for equality (architecture.md, decision 8).
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
  readonly boot: string;
}

let boot: Promise<string> | null = null;

async function readBootId(): Promise<string> {
  if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  if (process.platform === 'darwin') return (await run('sysctl', ['-n', 'kern.bootsessionuuid'])).stdout.trim();
  // Windows start times are absolute with 100 ns, so they need no boot beside them.
  return process.platform;
}

/** Text that is the same from one start of the machine to its end. */
export function bootId(): Promise<string> {
  boot ??= readBootId();
  return boot;
}

/** Identity of a running process, or null when there is none with this pid. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const row = await findProcess(pid);
  if (row === null || row.zombie) return null;
  return { pid, started: row.started, boot: await bootId() };
}

/** True while exactly this process runs. A process that ended but was not waited for counts as gone. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (identity.boot !== (await bootId())) return false;
  if (process.platform === 'linux') {
    const row = linuxProcess(identity.pid);
    return row !== null && !row.zombie && row.started === identity.started;
  }
  if (!exists(identity.pid)) return false;
  const row = await findProcess(identity.pid);
  return row !== null && !row.zombie && row.started === identity.started;
}

/** Asking first whether the pid is in use at all spares a `ps` for the common answer. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ESRCH') return false;
    if (systemErrorCode(error) === 'EPERM') return true;
    throw error;
  }
}

/** Reads an identity that was stored as JSON; null when it is something else. */
export function toIdentity(value: unknown): ProcessIdentity | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!('pid' in value) || !('started' in value) || !('boot' in value)) return null;
  const { pid, started, boot: bootText } = value;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 1) return null;
  return typeof started === 'string' && typeof bootText === 'string' ? { pid, started, boot: bootText } : null;
}
