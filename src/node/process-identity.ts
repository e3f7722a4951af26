import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { findProcess, linuxProcess } from './process-table.ts';
import { systemErrorCode } from './system-error.ts';

const run = promisify(execFile);

/**
 * One process for good: the OS reuses pids. `started` and `boot` are opaque texts of the OS and only compared for
 * equality.
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

/** Text that stays the same until the machine restarts. */
export function bootId(): Promise<string> {
  boot ??= readBootId();
  return boot;
}

/** Text that names the pid namespace of this process; null where the system has none. A pid counts only within its own. */
export function pidNamespace(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch (error) {
    // A sandbox may hide it; all visible processes then share one namespace.
    if (systemErrorCode(error) !== null) return null;
    throw error;
  }
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

/** Checking first that the pid is in use avoids a `ps` in the common case. */
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
