import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import { systemErrorCode } from '../../../node/system-error.ts';

/**
 * The log of a bot consists of segments: `log.db` is number 0, later ones are `log-<n>.db`, each a complete database.
 * Only the highest is written; the others never change again. Each number is used once, so that no file takes another
 * one's name: SQLite would use the log and index of the old file beside it.
 */
const SEGMENT = /^log(?:-([1-9]\d{0,8}))?\.db$/;
/** A file set aside keeps its segment's number from being used again. */
const SET_ASIDE = /^(log(?:-[1-9]\d{0,8})?\.db)\.corrupt-\d+$/;
/** Names of all files that belong to the log of a bot, or that it has left. */
const OF_LOG = /^(log(-\d+)?|rollups)\.db/;
const BESIDE = /^(.+\.db)-(?:wal|shm|journal)$/;
const PART = /^.+\.db\.part(?:-(?:wal|shm|journal))?$/;

/** Rollups of metrics outlive the segments that they were made in. */
export const ROLLUPS = 'rollups.db';

/** Returns the folder of a bot's log. The id becomes a folder name, so ids with other than plain characters are refused. */
export function logFolder(dataDir: string, botId: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(botId)) throw new PlatformError('BOT_NOT_FOUND');
  return join(dataDir, 'bots', botId);
}

export function segmentName(number: number): string {
  return number === 0 ? 'log.db' : `log-${number}.db`;
}

/** Returns the number of the segment with this file name; null for any other file. */
export function segmentNumber(name: string): number | null {
  const match = SEGMENT.exec(name);
  return match === null ? null : Number(match[1] ?? 0);
}

export function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the numbers of the segments among these files, the oldest first. */
export function segmentsAmong(names: readonly string[]): number[] {
  return names.flatMap((name) => segmentNumber(name) ?? []).sort((a, b) => a - b);
}

/** Returns the numbers of the segments in a bot's folder, oldest first; empty without a folder. */
export function segmentsIn(dir: string): number[] {
  return segmentsAmong(namesIn(dir));
}

/**
 * Returns the names of all databases of a bot's log, in the order in which to copy them: newest first, because
 * retention removes the oldest, and rollups last, so that they cover removed segments.
 */
export function logFilesIn(dir: string): string[] {
  const names = namesIn(dir);
  return [...segmentsAmong(names).reverse().map(segmentName), ...names.filter((name) => name === ROLLUPS)];
}

/** True if a database of that name was damaged and set aside. */
export function isSetAside(file: string): boolean {
  return namesIn(dirname(file)).some((name) => name.startsWith(`${basename(file)}.corrupt-`));
}

/** True if a file belongs to the log of a bot, including files that were set aside or left beside another. */
export function isOfLog(name: string): boolean {
  return OF_LOG.test(name);
}

/** Returns a number above all that were used. */
export function nextSegment(dir: string): number {
  const given = namesIn(dir).map((name) => segmentNumber(SET_ASIDE.exec(name)?.[1] ?? name) ?? -1);
  return Math.max(-1, ...given) + 1;
}

/**
 * Creates a database whole or not at all: `write` gets the path of a part, closes it, and the part is then renamed.
 * Throws errors of `write`, and leaves nothing behind.
 */
export function placeWhole(file: string, write: (part: string) => void, written?: () => void): void {
  const part = `${file}.part`;
  removeBeside(part);
  try {
    write(part);
    // Windows flushes only files opened for writing.
    const fd = openSync(part, 'r+');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    written?.();
    renameSync(part, file);
  } catch (error) {
    removeBeside(part);
    throw error;
  }
}

/** Returns the bytes of a database on the disk, including its write-ahead log; 0 for a missing one. */
export function bytesOf(file: string): number {
  const size = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size(file) + size(`${file}-wal`);
}

/** Name endings of the files that SQLite keeps beside a database. */
const ENDINGS = ['-wal', '-shm', '-journal'] as const;

/**
 * Sets a damaged database aside as `<name>.corrupt-<ms>`, with the files that SQLite keeps beside it; returns the new
 * path.
 */
export function setAsideDatabase(file: string, now: number): string {
  const aside = `${file}.corrupt-${now}`;
  for (const suffix of ['', ...ENDINGS]) {
    try {
      renameSync(file + suffix, aside + suffix);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
  }
  return aside;
}

/**
 * Removes a database and SQLite's files beside it. The database goes first: interrupted anywhere, it is either
 * untouched or gone. While a reader has it open, Windows refuses (EBUSY, EPERM) and nothing changes.
 */
export function removeDatabase(file: string, removed?: () => void): void {
  removeFile(file);
  removed?.();
  removeBeside(file);
}

/** Removes the remains of a killed host: parts of databases, and files beside a removed one. */
export function sweepLog(dir: string): void {
  const names = namesIn(dir);
  const there = new Set(names);
  for (const name of names) {
    if (!isOfLog(name)) continue;
    const of = BESIDE.exec(name)?.[1];
    if (PART.test(name) || (of !== undefined && !there.has(of))) removeFile(join(dir, name));
  }
}

/** Removes a bot's log and its set-aside files. The folder contains other files as well and stays. */
export function removeLog(dir: string): void {
  try {
    for (const name of namesIn(dir)) if (isOfLog(name)) removeFile(join(dir, name));
  } catch (error) {
    // The bot has made its folder unreadable; its removal opens the folder first.
    if (systemErrorCode(error) !== 'EACCES') throw error;
  }
}

export function makeFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
}

function removeBeside(file: string): void {
  for (const suffix of ['', ...ENDINGS]) removeFile(file + suffix);
}

/** True if the file is open in another program, which on Windows prevents removing and renaming it. */
export function isBusy(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'EBUSY' || code === 'EPERM';
}

/**
 * Removes a file without rmSync, whose errors do not distinguish a busy file from others (Node 24). A folder that a bot
 * has made under that name is renamed, and is removed with the bot, because it may contain more than a moment can
 * remove.
 */
function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
    renameSync(file, `${file}.corrupt-${Date.now()}`);
  }
}
