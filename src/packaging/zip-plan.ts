import { setImmediate as turn } from 'node:timers/promises';
import { invalid, type Problem } from '../contract/errors.ts';
import { OverloadError, withDeadline } from './deadline.ts';
import { PathSet, pathFault } from './package-path-rules.ts';
import { IGNORE_FILE, isLauncher, type PackagePatterns } from './project-files.ts';
import { isFileManagers, topFolder } from './top-folder.ts';
import { checkRatio, MAX_PROBLEMS, refuse, refuseCount, refuseUnpacked, type UnpackLimits } from './unpack-limits.ts';
import type { ZipItem } from './zip-entry.ts';

/** An entry of a zip, with what it stands for. */
export interface ZipMember<E> {
  readonly item: ZipItem;
  readonly entry: E;
}

/** Sizes of an entry as the zip states them. */
export interface EntrySizes {
  readonly compressedSize: number;
  readonly uncompressedSize: number;
}

/** An entry, and what is left out with it by the patterns of the project: itself, or a folder `…/`; null for neither. */
export interface MatchedMember<E> extends ZipMember<E> {
  readonly leftOut: string | null;
}

/** The entries of a zip that its package is made of. */
export interface ZipPlan<E> {
  readonly files: readonly ZipMember<E>[];
  readonly leftOut: readonly string[];
}

/** Entries without those of file managers, and by their paths inside the project. */
export function projectMembers<E>(members: readonly ZipMember<E>[]): ZipMember<E>[] {
  const isRoot = ({ path, kind }: ZipItem): boolean => kind === 'folder' && path === '';
  const own = members.filter(({ item }) => !isRoot(item) && !isFileManagers(item.path));
  const top = topFolder(own.filter(({ item }) => item.kind !== 'folder').map(({ item }) => item.path));
  if (top === null) return own;
  const inside = own.filter(({ item }) => item.path.startsWith(`${top}/`));
  return inside.map(({ item, entry }) => ({ entry, item: { ...item, path: item.path.slice(top.length + 1) } }));
}

const LINK = 'Pack regular files and folders only; replace links by copies (`zip -r` without -y does so).';

function kindFault({ kind, fault }: ZipItem) {
  if (kind === 'link') return { message: 'is a symbolic link', hint: LINK };
  return kind === 'other' ? { message: 'is a device or a named pipe', hint: LINK } : fault;
}

/** Paths that are matched before others get their turn, and the time of the processor that these, and that all may take. */
const BATCH = 25;
const BATCH_MS = 100;
const MATCHING_MS = 2000;

/**
 * Matches the paths of entries with the patterns of the project, which may be made to take for ever. Throws
 * INVALID_PACKAGE when they do.
 */
export async function matchPaths<E>(
  members: readonly ZipMember<E>[],
  patterns: PackagePatterns,
  mostMs = MATCHING_MS,
): Promise<MatchedMember<E>[]> {
  const match = ({ item: { path, kind }, entry, item }: ZipMember<E>): MatchedMember<E> => {
    const isSafe = pathFault(path) === null;
    return { item, entry, leftOut: isSafe ? patterns.leftOut(path, kind === 'folder') : null };
  };
  const tooSlow = () =>
    refuse(`The patterns of ${IGNORE_FILE} take too long to match`, 'Write fewer and simpler patterns.');
  const matched: MatchedMember<E>[] = [];
  let used = 0;
  for (let at = 0; at < members.length; at += BATCH) {
    const begun = process.threadCpuUsage();
    try {
      matched.push(...withDeadline(() => members.slice(at, at + BATCH).map(match), BATCH_MS));
    } catch (error) {
      throw error instanceof OverloadError ? tooSlow() : error;
    }
    const { user, system } = process.threadCpuUsage(begun);
    used += (user + system) / 1000;
    if (used > mostMs) throw tooSlow();
    await turn();
  }
  return matched;
}

/**
 * Chooses the files of a package among the entries of a zip, as `platform custom-bot deploy` does in the folder of a
 * project. Throws INVALID_PACKAGE with everything that is wrong with their names and kinds.
 */
export function planZip<E>(members: readonly MatchedMember<E>[], named: readonly string[]): ZipPlan<E> {
  const files: ZipMember<E>[] = [];
  const leftOut = new Set<string>();
  const problems: Problem[] = [];
  const names = new PathSet();
  const keep = new Set(named);
  for (const member of members) {
    const { path, kind } = member.item;
    if (member.leftOut !== null && !keep.has(path)) {
      leftOut.add(member.leftOut);
      continue;
    }
    if (kind === 'link' && isLauncher(path)) continue;
    const fault =
      pathFault(path) ?? kindFault(member.item) ?? names.add(path, kind === 'folder' ? 'directory' : 'file');
    if (fault !== null) problems.push({ path: JSON.stringify(path).slice(1, -1), ...fault });
    if (problems.length >= MAX_PROBLEMS) break;
    if (kind === 'file') files.push(member);
  }
  if (problems.length > 0) throw invalid('INVALID_PACKAGE', problems);
  return { files, leftOut: [...leftOut].sort() };
}

/** Refuses what a zip says to hold before any of it is unpacked. `packed` is the size of the zip. */
export function checkSizes(files: readonly ZipMember<EntrySizes>[], packed: number, limits: UnpackLimits): void {
  const total = (size: (entry: EntrySizes) => number) => files.reduce((sum, { entry }) => sum + size(entry), 0);
  if (files.length > limits.files) throw refuseCount(limits);
  if (total((entry) => entry.compressedSize) > packed)
    throw refuse('The zip has files that share their content', 'Make the zip again with another program.');
  const unpacked = total((entry) => entry.uncompressedSize);
  checkRatio(limits, packed, unpacked);
  if (unpacked > limits.unpackedBytes) throw refuseUnpacked(limits);
}
