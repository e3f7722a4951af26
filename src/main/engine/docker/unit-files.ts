import { closeSync, constants, type Dirent, openSync, writeFileSync } from 'node:fs';
import { chmod, chown, lchown, lstat, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomic-write.ts';
import { systemErrorCode } from '../../base/system-error.ts';
import type { OutputFile, UnitExit, UnitRole, UnitSpec } from '../engine.ts';
import type { ContainerUser } from './facts.ts';

/** Files of one role inside the private folder of a run, as the host sees them. */
export interface UnitFiles {
  /** Mounted so that the program can write to its output files and make or replace none. */
  readonly spool: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Read by the start wrapper: what must not stand in the container's description. */
  readonly config: string;
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

/** What is his already is left as it is: a change of owner changes the times by which the state is told from before. */
async function giveFile(path: string, user: ContainerUser): Promise<void> {
  if (isOfAnother(await lstat(path), user)) await lchown(path, user.uid, user.gid);
}

function isOfAnother({ uid, gid }: { readonly uid: number; readonly gid: number }, user: ContainerUser): boolean {
  return uid !== user.uid || gid !== user.gid;
}

/** What is gone, or something else by now, was changed by the program inside, which owns what it makes. */
async function unlessChanged(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemErrorCode(error) ?? '')) throw error;
  }
}

/** False where no container of this bot has run yet: a query program could not read what the host or another engine made. */
async function isGiven({ stateDir }: UnitSpec, user: ContainerUser): Promise<boolean> {
  return (await lstat(join(stateDir, '.platform'))).uid === user.uid;
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Makes the files of a unit, and hands them and the state of the bot over to the user inside. Clears what an earlier
 * program of the same role and run has left: a query program is started again, and its output goes on in the same files.
 */
export async function makeUnitFiles(
  spec: UnitSpec,
  files: UnitFiles,
  user: ContainerUser,
  secretEnv: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(files.spool, { recursive: true, mode: 0o711 });
  for (const file of [files.exit, files.queryResult, files.config]) await rm(file, { force: true, recursive: true });
  await mkdir(files.answers, { recursive: true, mode: 0o700 });
  await mkdir(join(spec.stateDir, '.platform'), { recursive: true, mode: 0o700 });
  for (const { path } of outputsOf(files)) {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600));
  }
  const lines = Object.entries(secretEnv).map(([name, value]) => `${name}=${shellQuoted(value)}; export ${name}`);
  writeFileSync(files.config, `${lines.join('\n')}\n`, { mode: 0o400 });
  if (!user.handOver) return;
  await chmod(files.spool, 0o711);
  for (const path of [files.stdout, files.stderr, files.config, files.answers]) await chown(path, user.uid, user.gid);
  if (spec.role === 'bot' || !(await isGiven(spec, user))) await giveTree(spec.stateDir, user);
  // The host writes keys of a bot that stands still.
  else await unlessChanged(giveTree(join(spec.stateDir, '.platform'), user));
}

/** Records how a unit ended: its container is removed after that. */
export async function writeEnd(files: UnitFiles, exit: UnitExit): Promise<void> {
  await writeFileAtomic(files.exit, `${JSON.stringify(exit)}\n`);
}

/** How a unit ended whose container is gone; null when nobody wrote it down. */
export async function readEnd(files: UnitFiles): Promise<UnitExit | null> {
  let text: string;
  try {
    text = await readFile(files.exit, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
  const { exitCode, signal, endedAt, limit } = JSON.parse(text);
  return { exitCode, signal, endedAt, ...(limit === undefined ? {} : { limit }) };
}
