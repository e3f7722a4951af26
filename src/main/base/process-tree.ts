import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { bootId, type ProcessIdentity } from './process-identity.ts';
import { listProcesses, type ProcessRow, readProc } from './process-table.ts';
import { systemErrorCode } from './system-error.ts';

/**
 * A program with all it has started. The root leads its own session and process group. `marker` are environment
 * entries (`NAME=value`) that only this tree carries: on Linux they find children that left session and group.
 */
export interface ProcessTree {
  readonly root: ProcessIdentity;
  readonly marker: readonly string[];
}

function carriesMarker(pid: number, marker: readonly string[]): boolean {
  if (marker.length === 0) return false;
  const text = readProc(pid, 'environ');
  if (text === null) return false;
  const entries = new Set(Buffer.from(text, 'latin1').toString('utf8').split('\0'));
  return marker.every((entry) => entries.has(entry));
}

/** Start marks of Linux are ticks since boot: nothing in a tree is older than its root. */
function mayBelong(row: ProcessRow, root: ProcessIdentity): boolean {
  return process.platform !== 'linux' || Number(row.started) >= Number(root.started);
}

/**
 * Living members of a tree: the root, its group and session, whoever carries the marker, and all their descendants.
 * Zombies, this process and pid 1 are never members. A root pid that was given to another process counts for nothing.
 */
export function treeMembers(tree: ProcessTree, rows: readonly ProcessRow[], boot: string): ProcessRow[] {
  const { root, marker } = tree;
  if (root.boot !== boot) return [];
  const holder = rows.find((row) => row.pid === root.pid);
  const reused = holder !== undefined && holder.started !== root.started;
  const members = new Map<number, ProcessRow>();
  const candidates = rows.filter((row) => row.pid > 1 && row.pid !== process.pid && mayBelong(row, root));
  for (const row of candidates) {
    const own = !reused && (row.pid === root.pid || row.group === root.pid || row.session === root.pid);
    const marked = !own && process.platform === 'linux' && !row.zombie && carriesMarker(row.pid, marker);
    if (own || marked) members.set(row.pid, row);
  }
  for (let found = true; found; ) {
    found = false;
    for (const row of candidates) {
      if (members.has(row.pid) || !members.has(row.parent)) continue;
      members.set(row.pid, row);
      found = true;
    }
  }
  return [...members.values()].filter((row) => !row.zombie);
}

/** The living members of a tree right now. */
export async function findTree(tree: ProcessTree): Promise<ProcessRow[]> {
  return treeMembers(tree, await listProcesses(), await bootId());
}

/** Returns false when the process is gone or belongs to somebody whom we may not signal. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

/** Windows has no signals: without force only programs with a window react, with force the whole tree ends. */
function taskkill(pid: number, force: boolean): Promise<void> {
  const args = ['/PID', String(pid), '/T', ...(force ? ['/F'] : [])];
  return new Promise((done) => execFile('taskkill.exe', args, { windowsHide: true }, () => done()));
}

async function forceAll(tree: ProcessTree, members: readonly ProcessRow[]): Promise<boolean> {
  if (process.platform === 'win32') {
    await Promise.all(members.map((row) => taskkill(row.pid, true)));
    return true;
  }
  // One call for the group is atomic in the kernel: a program that forks faster than we look cannot outrun it.
  const inGroup = members.some((row) => row.group === tree.root.pid);
  let reached = inGroup && send(-tree.root.pid, 'SIGKILL');
  for (const row of members) reached = send(row.pid, 'SIGKILL') || reached;
  return reached;
}

async function askAll(members: readonly ProcessRow[], asked: Set<string>): Promise<void> {
  for (const row of members) {
    const key = `${row.pid} ${row.started}`;
    if (asked.has(key)) continue;
    asked.add(key);
    if (process.platform === 'win32') await taskkill(row.pid, false);
    else send(row.pid, 'SIGTERM');
  }
}

const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 100;

/**
 * Ends a tree: SIGTERM to every member (also to those born meanwhile), SIGKILL from `deadline()` on, which is a time
 * of `performance.now()` and may come nearer while this runs. Resolves once no member is left that we may signal.
 */
export async function endTree(tree: ProcessTree, deadline: () => number): Promise<void> {
  const asked = new Set<string>();
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LAST_POLL_MS)) {
    const members = await findTree(tree);
    if (members.length === 0) return;
    if (performance.now() >= deadline()) {
      if (!(await forceAll(tree, members))) return;
    } else {
      await askAll(members, asked);
    }
    await wait(
      Math.max(1, Math.min(pause, deadline() - performance.now() > 0 ? deadline() - performance.now() : pause)),
    );
  }
}

/** Ends a tree, with `graceMs` between asking and forcing. */
export function killTree(tree: ProcessTree, graceMs = 0): Promise<void> {
  const deadline = performance.now() + graceMs;
  return endTree(tree, () => deadline);
}
