import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, parse, resolve, sep } from 'node:path';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { systemErrorCode } from '../../../node/system-error.ts';

/** Hosts that open project folders: those that only this machine can reach, all, or none. */
export const PROJECT_SETTINGS = ['local', 'always', 'never'] as const;
export type ProjectSetting = (typeof PROJECT_SETTINGS)[number];

/** Throws FORBIDDEN on a host that opens no folders. */
export function checkAllowed(setting: ProjectSetting, reachableFromElsewhere: boolean): void {
  if (setting === 'always' || (setting === 'local' && !reachableFromElsewhere)) return;
  const message =
    setting === 'never'
      ? 'This host opens no project folders'
      : 'This host opens no project folders, because other machines can reach it';
  const hint =
    setting === 'never'
      ? 'Its settings.json says "projects": "never". Work on the project with the command line, on your own machine.'
      : 'Work on the project with the command line, on your own machine. The operator of the host may allow it with "projects": "always" in settings.json.';
  throw new PlatformError('FORBIDDEN', message, { hint });
}

const isWithin = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);

function refuse(dir: string, message: string, hint: string): PlatformError {
  return invalid('INVALID_REQUEST', [{ path: dir, message, hint }]);
}

/** Folders of the system, which contain no bots, or no real files at all. */
const SYSTEM: readonly string[] =
  process.platform === 'win32'
    ? [process.env.SystemRoot, process.env.ProgramFiles].flatMap((one) => (one === undefined ? [] : [one]))
    : '/bin /boot /dev /etc /lib /lib64 /proc /run /sbin /sys /usr /System /Library /private/etc'.split(' ');
/** Folders of a home, besides hidden ones, in which programs keep settings and secrets. */
const OF_PROGRAMS = new Set(['library', 'appdata']);
/** Folders of keys and of version control, at any place. */
const SECRET = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.git', '.hg', '.svn', '.bzr']);

/**
 * Returns the reason for which a folder (without links) may not be opened as a project, e.g. a home or the data folder;
 * null if it may.
 */
export function folderFault(real: string, dataDir: string, home: string): string | null {
  if (real === parse(real).root) return 'is the root of a disk';
  if (isWithin(home, real)) return 'is a home folder, or holds one';
  if (isWithin(real, dataDir) || isWithin(dataDir, real)) return 'holds the data of this host';
  const first = isWithin(real, home) ? real.slice(home.length + 1).split(sep)[0] : undefined;
  if (first !== undefined && (first.startsWith('.') || OF_PROGRAMS.has(first.toLowerCase()))) {
    return `lies in ${first}, where programs keep their settings and secrets`;
  }
  const secret = real.split(sep).find((part) => SECRET.has(part.toLowerCase()));
  if (secret !== undefined) return `lies in ${secret}, which belongs to another program`;
  if (SYSTEM.some((one) => isWithin(real, one) && !isWithin(real, '/usr/local'))) return 'belongs to the system';
  return null;
}

async function realOrSame(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return path;
    throw error;
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Returns the nearest existing folder, without links, followed by the rest of the path. */
async function realOfNew(dir: string): Promise<string> {
  try {
    return await realpath(dir);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  if (await isLink(dir)) throw refuse(dir, 'is a link that leads nowhere', 'Remove it, or choose another folder.');
  const parent = await realOfNew(dirname(dir));
  return parent + (parent.endsWith(sep) ? '' : sep) + dir.slice(dirname(dir).length).replace(/^[/\\]+/, '');
}

function absolute(dir: string): string {
  // With a network path, Windows would connect to another machine and send it the name of its user.
  const network = /^(\\\\|\/\/)/.test(dir);
  if (isAbsolute(dir) && !network && !dir.includes('\0')) return resolve(dir);
  const hint = 'Give the whole path, for example /home/me/my-bot or C:\\Users\\me\\my-bot.';
  throw refuse(dir, network ? 'is a folder in the network' : 'is no absolute path', hint);
}

const OTHER = 'Open the folder of one bot.';

/** Returns the real path of a folder to open as a project. Throws INVALID_REQUEST with the reason against it. */
export async function openableFolder(dir: string, dataDir: string): Promise<string> {
  const path = absolute(dir);
  let real: string;
  try {
    real = await realpath(path);
    if (!(await stat(real)).isDirectory()) throw refuse(dir, 'is a file', 'Open the folder that it is in.');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw refuse(dir, 'there is no such folder', 'Check the path.');
    if (code === 'ELOOP' || code === 'ENAMETOOLONG') throw refuse(dir, `is no path (${code})`, 'Check the path.');
    if (code === 'EACCES' || code === 'EPERM') throw refuse(dir, 'may not be read by the host', 'Check its rights.');
    throw error;
  }
  const fault = folderFault(real, await realOrSame(dataDir), await realOrSame(homedir()));
  if (fault !== null) throw refuse(dir, fault, OTHER);
  return real;
}

/** Returns the folder in which a project is made, without links; makes the missing folder around it. */
export async function creatableFolder(dir: string, dataDir: string): Promise<string> {
  const path = absolute(dir);
  try {
    const real = await realOfNew(path);
    const fault = folderFault(real, await realOrSame(dataDir), await realOrSame(homedir()));
    if (fault !== null) throw refuse(dir, fault, 'Choose another folder.');
    await mkdir(dirname(real), { recursive: true });
    return real;
  } catch (error) {
    const code = systemErrorCode(error);
    if (error instanceof PlatformError || code === null) throw error;
    throw refuse(dir, `cannot be made (${code})`, 'Choose another folder.');
  }
}
