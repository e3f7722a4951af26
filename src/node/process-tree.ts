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

const environments = new WeakMap<ProcessRow, string>();

/** Environment a process was started with; empty where this user may not read it. Read once per list of processes. */
function environmentOf(row: ProcessRow): string {
  const known = environments.get(row);
  if (known !== undefined) return known;
  const text = process.platform === 'linux' ? readProc(row.pid, 'environ') : null;
  const entries = `\0${text ?? ''}\0`;
  environments.set(row, entries);
  return entries;
}

/** /proc is read as bytes, so the marker is compared in the same form. */
function carriesMarker(row: ProcessRow, marker: readonly string[]): boolean {
  if (marker.length === 0 || row.zombie) return false;
  const entries = environmentOf(row);
  return marker.every((entry) => entries.includes(`\0${Buffer.from(entry).toString('latin1')}\0`));
}

interface RowIndex {
  readonly byPid: ReadonlyMap<number, ProcessRow>;
  readonly children: ReadonlyMap<number, readonly ProcessRow[]>;
  readonly byGroup: ReadonlyMap<number, readonly ProcessRow[]>;
  readonly bySession: ReadonlyMap<number, readonly ProcessRow[]>;
}

const indexes = new WeakMap<readonly ProcessRow[], RowIndex>();

/** One list serves many trees, so its index is made once. */
function indexOf(rows: readonly ProcessRow[]): RowIndex {
  const known = indexes.get(rows);
  if (known !== undefined) return known;
  const index = {
    byPid: new Map(rows.map((row) => [row.pid, row])),
    children: Map.groupBy(rows, (row) => row.parent),
    byGroup: Map.groupBy(rows, (row) => row.group),
    bySession: Map.groupBy(rows, (row) => row.session),
  };
  indexes.set(rows, index);
  return index;
}

/** Start marks of Linux are ticks since boot: nothing in a tree is older than its root. */
function mayBelong(row: ProcessRow, root: ProcessIdentity): boolean {
  return process.platform !== 'linux' || Number(row.started) >= Number(root.started);
}

/**
 * Living members of a tree: the root, its group and session, every carrier of the marker, and all their descendants.
 * Zombies, this process and pid 1 never count, nor does a root pid that the OS has given to another process.
 */
export function treeMembers(tree: ProcessTree, rows: readonly ProcessRow[], boot: string): ProcessRow[] {
  const { root, marker } = tree;
  if (root.boot !== boot) return [];
  const { byPid, children, byGroup, bySession } = indexOf(rows);
  const candidate = (row: ProcessRow): boolean => row.pid > 1 && row.pid !== process.pid && mayBelong(row, root);
  const holder = byPid.get(root.pid);
  const reused = holder !== undefined && holder.started !== root.started;
  const own = [holder ?? [], byGroup.get(root.pid) ?? [], bySession.get(root.pid) ?? []].flat();
  const marked = marker.length === 0 ? [] : rows.filter((row) => candidate(row) && carriesMarker(row, marker));
  const members = new Map<number, ProcessRow>();
  const found = [...(reused ? [] : own.filter(candidate)), ...marked];
  for (let row = found.pop(); row !== undefined; row = found.pop()) {
    if (members.has(row.pid)) continue;
    members.set(row.pid, row);
    found.push(...(children.get(row.pid) ?? []).filter(candidate));
  }
  return [...members.values()].filter((row) => !row.zombie);
}

/**
 * Returns false when the process is gone or this user may not signal it. 0 only asks whether it exists; a negative
 * number is a whole process group.
 */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
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
  let reached = inGroup && signalProcess(-tree.root.pid, 'SIGKILL');
  for (const row of members) reached = signalProcess(row.pid, 'SIGKILL') || reached;
  return reached;
}

/**
 * Every parent before its children: a supervisor that learned of the stop after its program has ended would take what
 * the program left for remains, and end them without their grace.
 */
export function parentsFirst(members: readonly ProcessRow[]): ProcessRow[] {
  const pids = new Set(members.map((row) => row.pid));
  const children = Map.groupBy(members, (row) => row.parent);
  const ordered = members.filter((row) => !pids.has(row.parent));
  for (const row of ordered) ordered.push(...(children.get(row.pid) ?? []));
  // A list is not read in one moment: a pid that was given again may make a circle of parents.
  return [...new Set([...ordered, ...members])];
}

async function askAll(members: readonly ProcessRow[], asked: Set<string>): Promise<void> {
  for (const row of parentsFirst(members)) {
    const key = `${row.pid} ${row.started}`;
    if (asked.has(key)) continue;
    asked.add(key);
    if (process.platform === 'win32') await taskkill(row.pid, false);
    else signalProcess(row.pid, 'SIGTERM');
  }
}

let latest: { readonly at: number; readonly rows: Promise<ProcessRow[]> } | null = null;

/** A list of processes that is not older than `since`; many trees that end at once share one. */
function processesSince(since: number): Promise<ProcessRow[]> {
  const now = performance.now();
  if (latest === null || latest.at < since || now - latest.at > SHARED_MS) latest = { at: now, rows: listProcesses() };
  return latest.rows;
}

const SHARED_MS = 15;
const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 100;

/**
 * Ends a tree: SIGTERM to every member (also to those born meanwhile), SIGKILL from `deadline()` on, which is a time
 * of `performance.now()` and may come nearer while this runs. Resolves once no member is left that we may signal.
 */
export async function endTree(tree: ProcessTree, deadline: () => number): Promise<void> {
  const asked = new Set<string>();
  const boot = await bootId();
  // A tree that was empty once stays empty, so a list from after this moment is proof enough.
  const begun = performance.now();
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LAST_POLL_MS)) {
    const rows = await processesSince(begun);
    const forced = performance.now() >= deadline();
    // Reading every environment is the expensive part: it is done to begin with, to force, and to be sure of the end.
    const near = asked.size === 0 || forced ? [] : treeMembers({ ...tree, marker: [] }, rows, boot);
    const members = near.length > 0 ? near : treeMembers(tree, rows, boot);
    if (members.length === 0) return;
    if (forced) {
      if (!(await forceAll(tree, members))) return;
    } else {
      await askAll(members, asked);
    }
    await wait(
      Math.max(1, Math.min(pause, deadline() - performance.now() > 0 ? deadline() - performance.now() : pause)),
    );
  }
}

const ORPHAN_ROUNDS = 100;

/** The value of an entry in the environment of a process; null without it. */
function entryOf(environment: string, name: string): string | null {
  const key = `\0${name}=`;
  const at = environment.indexOf(key);
  if (at < 0) return null;
  const raw = environment.slice(at + key.length, environment.indexOf('\0', at + key.length));
  return Buffer.from(raw, 'latin1').toString('utf8');
}

/** The value of an entry in the environment that a process was started with; null without it, and where this user may not read it. */
export function environmentEntry(pid: number, name: string): string | null {
  const text = process.platform === 'linux' ? readProc(pid, 'environ') : null;
  return entryOf(`\0${text ?? ''}\0`, name);
}

/**
 * Ends every process that was started with an environment entry for which `isOrphan` says yes; it may ask for other entries of
 * the same process. They get no grace. Only Linux lets a program read the environment of others: elsewhere nothing is found.
 * Gives the entries that were found.
 */
export async function endOrphans(
  name: string,
  isOrphan: (value: string, entry: (other: string) => string | null) => boolean,
): Promise<string[]> {
  const found = new Set<string>();
  for (let round = 0; round < ORPHAN_ROUNDS; round++) {
    let left = 0;
    for (const row of await listProcesses()) {
      if (row.zombie || row.pid <= 1 || row.pid === process.pid) continue;
      const text = environmentOf(row);
      const entry = (other: string): string | null => entryOf(text, other);
      const value = entry(name);
      if (value === null || !isOrphan(value, entry)) continue;
      found.add(value);
      if (signalProcess(row.pid, 'SIGKILL')) left += 1;
    }
    if (left === 0) break;
    await wait(FIRST_POLL_MS);
  }
  return [...found];
}

/** Ends a tree, with `graceMs` between asking and forcing. */
export function killTree(tree: ProcessTree, graceMs = 0): Promise<void> {
  const deadline = performance.now() + graceMs;
  return endTree(tree, () => deadline);
}
