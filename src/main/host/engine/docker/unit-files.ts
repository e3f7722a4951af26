import { closeSync, constants, type Dirent, openSync, writeFileSync } from 'node:fs';
import { chmod, chown, lchown, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../../node/atomic-write.ts';
import { readUntrusted } from '../../../../node/read-untrusted.ts';
import { systemErrorCode } from '../../../../node/system-error.ts';
import type { OutputFile, UnitExit, UnitRole } from '../engine.ts';
import { type ControlFiles, controlFiles, makeControlFiles } from '../stop-hook.ts';
import type { ContainerUser } from './facts.ts';

/** Files of one role inside the private folder of a run, as the host sees them. */
export interface UnitFiles {
  /** Mounted so that the program can write its output files but create or replace none. */
  readonly spool: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Read by the start wrapper: what must not stand in the container's description. */
  readonly config: string;
  /** The control channel, in the folder of the output: only `hook` is writable inside. */
  readonly control: ControlFiles;
  /** Mounted as /query. */
  readonly answers: string;
  readonly result: string;
  readonly queryResult: string;
  /** Written by the host when the unit has ended, before its container is removed. */
  readonly exit: string;
}

export function unitFiles(runDir: string, role: UnitRole): UnitFiles {
  const spool = join(runDir, `${role}.spool`);
  const answers = join(runDir, `${role}.answers`);
  return {
    spool,
    stdout: join(spool, 'out'),
    stderr: join(spool, 'err'),
    config: join(spool, 'config'),
    control: controlFiles(spool),
    answers,
    result: join(answers, 'run.json'),
    queryResult: join(answers, 'result.json'),
    exit: join(runDir, `${role}.end.json`),
  };
}

/** The output files of a role as an engine reports them. */
export function outputsOf(files: UnitFiles): readonly OutputFile[] {
  return [
    { path: files.stdout, stream: 'stdout' },
    { path: files.stderr, stream: 'stderr' },
  ];
}

/** Each level holds a descriptor of the host. What lies deeper was made by the bot, and is its own already. */
const DEEPEST = 100;

/**
 * Gives a tree to the user inside. A program of the bot may be at work in it: each folder is opened without following a
 * link and entered through its descriptor, so that nothing outside of the tree can be put in its place.
 */
async function giveTree(path: string, user: ContainerUser, depth = 0): Promise<void> {
  if (depth > DEEPEST) return;
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const inside = `/proc/self/fd/${folder.fd}`;
    if (isOfAnother(await folder.stat(), user)) await folder.chown(user.uid, user.gid);
    for (const entry of await readdir(inside, { withFileTypes: true })) await giveEntry(inside, entry, user, depth + 1);
  } finally {
    await folder.close();
  }
}

async function giveEntry(inside: string, entry: Dirent, user: ContainerUser, depth: number): Promise<void> {
  const path = join(inside, entry.name);
  await unlessChanged(entry.isDirectory() ? giveTree(path, user, depth) : giveFile(path, user));
}

/** Leaves a file with the right owner alone: a change of owner changes the times that fingerprint the state. */
async function giveFile(path: string, user: ContainerUser): Promise<void> {
  if (isOfAnother(await lstat(path), user)) await lchown(path, user.uid, user.gid);
}

function isOfAnother({ uid, gid }: { readonly uid: number; readonly gid: number }, user: ContainerUser): boolean {
  return uid !== user.uid || gid !== user.gid;
}

/** Ignores files that the program inside, their owner, has removed or replaced. */
async function unlessChanged(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemErrorCode(error) ?? '')) throw error;
  }
}

/** A unit, as far as it has files. */
interface Owned {
  readonly role: UnitRole;
  /** Folder with the state of its bot. */
  readonly stateDir: string;
}

/** False where no container of this bot has run yet: a query program could not read what the host or another engine made. */
async function isGiven({ stateDir }: Owned, user: ContainerUser): Promise<boolean> {
  return (await lstat(join(stateDir, '.platform'))).uid === user.uid;
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Makes the files of a unit, and hands them and the state of the bot over to the user inside. Clears what an earlier
 * program of the same role and run has left: a query program is started again, and its output goes on in the same files.
 */
export async function makeUnitFiles(
  unit: Owned,
  files: UnitFiles,
  user: ContainerUser,
  secretEnv: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(files.spool, { recursive: true, mode: 0o711 });
  for (const file of [files.exit, files.queryResult, files.config]) await rm(file, { force: true, recursive: true });
  await mkdir(files.answers, { recursive: true, mode: 0o700 });
  await mkdir(join(unit.stateDir, '.platform'), { recursive: true, mode: 0o700 });
  for (const { path } of outputsOf(files)) {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600));
  }
  const isBot = unit.role === 'bot';
  if (isBot) await makeControlFiles(files.control);
  const lines = Object.entries(secretEnv).map(([name, value]) => `${name}=${shellQuoted(value)}; export ${name}`);
  writeFileSync(files.config, `${lines.join('\n')}\n`, { mode: 0o400 });
  if (!user.handOver) return;
  await chmod(files.spool, 0o711);
  const given = [files.stdout, files.stderr, files.config, files.answers, ...(isBot ? [files.control.hook] : [])];
  for (const path of given) await chown(path, user.uid, user.gid);
  if (isBot || !(await isGiven(unit, user))) await giveTree(unit.stateDir, user);
  // The host may have written state keys while the bot stood still: those files still belong to the user of the host.
  else await unlessChanged(giveTree(join(unit.stateDir, '.platform'), user));
}

const MOST_END_BYTES = 64 * 1024;

/** Records how a unit ended: its container is removed after that. */
export async function writeEnd(files: UnitFiles, exit: UnitExit): Promise<void> {
  await writeFileAtomic(files.exit, `${JSON.stringify(exit)}\n`);
}

/** The recorded end of a unit whose container is gone; null without a record. */
export async function readEnd(files: UnitFiles): Promise<UnitExit | null> {
  const found = await readUntrusted(files.exit, MOST_END_BYTES);
  if (found === 'missing') return null;
  if (typeof found === 'string') throw new Error(`${files.exit} is not the file that the host has written`);
  const { exitCode, signal, endedAt, limit } = JSON.parse(found.text);
  return { exitCode, signal, endedAt, ...(limit === undefined ? {} : { limit }) };
}
