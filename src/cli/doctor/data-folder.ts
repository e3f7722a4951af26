import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { formatBytes } from '../../shared/format-quantity.ts';
import { type Check, subject } from '../check-result.ts';

const LITTLE_SPACE = 1024 ** 3;
const NO_SPACE = 64 * 1024 ** 2;
const OTHERS = 0o077;
const ELSEWHERE = 'Choose another one with --data or PLATFORM_DATA_DIR.';

const folder = subject('data_folder', 'Data folder', 'Everything that a host must not lose is in it.');
const space = subject(
  'disk_space',
  'Disk space',
  'On a full disk logs wait, state cannot be written and bots do not start.',
);
const system = subject(
  'file_system',
  'File system',
  'SQLite needs locks and shared memory that network and cloud folders do not have: databases are damaged there.',
);
const owner = subject('owner', 'Owner', 'A host that may not write its own files stops half-way.');
const modes = subject('modes', 'File modes', 'Anyone who can read these files can act as you, on every bot.');

/** File systems by the number that Linux gives them. */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'SMB',
  4266872130: 'SMB',
  16914839: '9P (a folder of the machine around this one)',
  1397113167: 'AFS',
  12805120: 'Ceph',
};
const FUSE = 0x65735546;
const TMPFS = 0x01021994;
const CLOUD =
  /[/\\](Dropbox|OneDrive[^/\\]*|Google Drive|GoogleDrive[^/\\]*|My Drive|iCloud Drive|Mobile Documents|CloudStorage|Nextcloud|ownCloud|pCloud ?Drive|MEGA|Box Sync|Syncthing)([/\\]|$)/i;
/** Files that a synchronising program leaves in its folders. */
const CLOUD_MARKS = [
  '.dropbox',
  '.dropbox.cache',
  '.stfolder',
  '.sync_journal.db',
  '._sync_journal.db',
  '.owncloudsync.log',
];

function nearest(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : nearest(dirname(dir));
}

function why(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function checkPlace(dir: string, place: string): Check {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) return folder.fault(`${dir} is a file, not a folder`, ELSEWHERE);
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch (error) {
    return folder.fault(`${dir} cannot be written (${why(error)})`, `Make it writable for you. ${ELSEWHERE}`);
  }
  if (stats !== undefined) return folder.ok(dir);
  return folder.spare(`${dir} is not there yet`, 'The first `platform start` makes it.');
}

function checkSpace(place: string): Check {
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const text = `${formatBytes(free)} free`;
  if (free > LITTLE_SPACE) return space.ok(text);
  const hint = 'Free some space, or keep less of the logs with --retention-mb.';
  return free > NO_SPACE ? space.note(text, hint) : space.fault(text, hint);
}

function cloudMark(dir: string): string | null {
  const mark = CLOUD_MARKS.find((name) => existsSync(join(dir, name)));
  if (mark !== undefined) return join(dir, mark);
  return dirname(dir) === dir ? null : cloudMark(dirname(dir));
}

function checkFileSystem(place: string): Check {
  const real = realpathSync(place);
  const hint = `Stop the host and move the folder to a disk of this machine. ${ELSEWHERE}`;
  const cloud = CLOUD.exec(real)?.[1] ?? cloudMark(real);
  if (cloud !== null) return system.fault(`${real} is copied to a cloud (${cloud})`, hint);
  if (/^(\\\\|\/\/)/.test(real)) return system.fault(`${real} is on another machine`, hint);
  if (process.platform !== 'linux') return system.ok('on a disk of this machine, as far as its path tells');
  const { type } = statfsSync(place);
  const network = NETWORK[type];
  if (network !== undefined) return system.fault(`${real} is on ${network}`, hint);
  if (type === FUSE)
    return system.note(`${real} is on a file system of a program (FUSE)`, `If it leads over a network: ${hint}`);
  if (type === TMPFS) {
    return system.note(`${real} is in memory: a restart of the machine loses it`, `Keep it on a disk. ${ELSEWHERE}`);
  }
  return system.ok('a disk of this machine');
}

function checkOwner(dir: string, stats: Stats): Check[] {
  const uid = process.getuid?.();
  if (uid === undefined) return [];
  if (stats.uid === uid) return [owner.ok('yours')];
  const hint = `Run commands as that user, or give the folder to yourself: chown -R $(id -u) ${dir}`;
  const text = `the folder belongs to user ${stats.uid}, you are ${uid}`;
  return [uid === 0 ? owner.note(`${text}: files that root makes are in its way`, hint) : owner.fault(text, hint)];
}

/** Files with keys, their hashes, or configurations with secrets, below a folder that hides them while it is closed. */
function secretFiles(dir: string, pattern: RegExp): string[] {
  return existsSync(dir) ? readdirSync(dir).flatMap((name) => (pattern.test(name) ? [join(dir, name)] : [])) : [];
}

/**
 * Marks of a folder that a host has used. Any other belongs to something else, and a wrong --data must not close it.
 */
const isUsed = (dir: string): boolean =>
  ['control.db', 'host.json', 'host.lock'].some((name) => existsSync(join(dir, name)));

const isOpen = (path: string): boolean => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0;

function checkModes(dir: string, configDir: string): Check[] {
  if (process.platform === 'win32') return [];
  const ofHost = [
    dir,
    ...secretFiles(dir, /^(control\.db(-wal|-shm)?|host\.json|host-id|query-key|host\.lock)$/),
    ...secretFiles(join(dir, 'backups'), /^control-.*\.db$/),
  ];
  // Files in a closed folder are out of reach, whatever their own mode.
  const open = [
    ...(isUsed(dir) && isOpen(dir) ? ofHost.filter(isOpen) : []),
    ...(isOpen(configDir) ? secretFiles(configDir, /^credentials\.json$/).filter(isOpen) : []),
  ];
  if (open.length === 0) return [modes.ok('closed to other users')];
  const names = open.join(', ');
  const fix = {
    what: `close to other users: ${names}`,
    run: () => {
      for (const file of open) chmodSync(file, statSync(file).mode & 0o7777 & ~OTHERS);
    },
  };
  const hint = 'Close them: `platform doctor --fix`. If others use this machine, make new keys as well.';
  return [modes.fault(`other users of this machine can open ${names}`, hint, fix)];
}

/** The folders that a host makes at its start; a removed one is made again. */
function checkParts(dir: string): Check[] {
  const missing = ['bots', 'catalog', 'backups'].map((name) => join(dir, name)).filter((path) => !existsSync(path));
  if (missing.length === 0 || !existsSync(join(dir, 'control.db'))) return [];
  const fix = {
    what: `make the folders ${missing.join(', ')}`,
    run: () => {
      for (const path of missing) mkdirSync(path, { mode: 0o700 });
    },
  };
  const parts = subject('folders', 'Folders', 'Without them a running host cannot store what belongs there.');
  const hint = 'Make them: `platform doctor --fix`. What was in them is in your backup, if you have one.';
  return [parts.note(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} gone`, hint, fix)];
}

/** Looks at the place of a data folder and at who can open it. `configDir` holds the files of the client. */
export function checkDataFolder(dataDir: string, configDir: string): Check[] {
  const dir = resolve(dataDir);
  const place = nearest(dir);
  const stats = statSync(dir, { throwIfNoEntry: false });
  const first = checkPlace(dir, place);
  if (first.level === 'fault') return [first, ...(stats?.isDirectory() === true ? checkOwner(dir, stats) : [])];
  const common = [first, checkSpace(place), checkFileSystem(place)];
  if (stats === undefined) return common;
  return [...common, ...checkOwner(dir, stats), ...checkModes(dir, configDir), ...checkParts(dir)];
}
