import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { PlatformError } from '../contract/errors.ts';
import { dataDirOf } from '../shared/data-dir.ts';
import { errorText } from './system-error.ts';

/** Folders and files of one bot instance. */
export interface BotFolder {
  readonly root: string;
  /** The whole persisted state tree; keys live in its `.platform` folder. */
  readonly state: string;
  readonly runs: string;
  run(runId: string): string;
}

/**
 * The folder in which a host keeps everything. All paths are absolute; only `root` and its direct folders exist
 * already.
 */
export interface DataFolder {
  readonly root: string;
  readonly controlDatabase: string;
  readonly backups: string;
  readonly catalog: string;
  readonly bots: string;
  /** Folders of instances that the control database does not know; created when the first is set aside. */
  readonly aside: string;
  /** Discovery file of the local owner (contract/host.ts, Discovery). */
  readonly hostFile: string;
  /** Reserved space that lets a host start on a full disk. */
  readonly reserveFile: string;
  /** Changes requested while the disk was full. */
  readonly wishFile: string;
  /** Names the process that works on the folder. */
  readonly lockFile: string;
  /** Locked by the process that works on the folder; node/kernel-lock.ts alone may open it. */
  readonly exclusiveFile: string;
  /** Shows other machines that share the disk that a host runs. */
  readonly beatFile: string;
  readonly logFile: string;
  /** What the gate decides by, and what it has recorded. */
  readonly gate: string;
  bot(botId: string): BotFolder;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The data folder in force: PLATFORM_DATA_DIR, else `bot-platform` in the OS's place for application data. A relative
 * setting counts from the working directory.
 */
export function defaultDataDir(env: Environment = process.env, platform = process.platform, home = homedir()): string {
  return resolve(dataDirOf(env, platform, home));
}

/** Keeps a name from a request to one path segment. */
function segment(name: string): string {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(name)) throw new Error(`not usable as a folder name: ${JSON.stringify(name)}`);
  return name;
}

/** The layout below a data folder; touches nothing. */
export function dataFolderAt(dir: string): DataFolder {
  const root = resolve(dir);
  const bots = join(root, 'bots');
  return {
    root,
    controlDatabase: join(root, 'control.db'),
    backups: join(root, 'backups'),
    catalog: join(root, 'catalog'),
    bots,
    aside: join(root, 'set-aside'),
    hostFile: join(root, 'host.json'),
    reserveFile: join(root, 'reserve'),
    wishFile: join(root, 'wishes'),
    lockFile: join(root, 'host.lock'),
    exclusiveFile: join(root, 'host-lock.db'),
    beatFile: join(root, 'host.beat'),
    logFile: join(root, 'host.log'),
    gate: join(root, 'gate'),
    bot(botId) {
      const own = join(bots, segment(botId));
      const runs = join(own, 'runs');
      return {
        root: own,
        state: join(own, 'state'),
        runs,
        run: (runId) => join(runs, segment(runId)),
      };
    },
  };
}

/** SQLite opens no file whose path is longer than 512 bytes; the longest of ours below a data folder takes 80. */
const MAX_ROOT_BYTES = 430;

/**
 * Entries that a new data folder may already hold: its owner, the desktop app, a start or the system put them there.
 */
const MAY_BE_THERE = new Set(['settings.json', 'desktop', 'serve.log', 'lost+found', '.DS_Store']);
const MADE_AT_ONCE = ['backups', 'catalog', 'bots'];
/** Each marks a data folder, also one from which an interrupted restore has moved the others. */
const SIGNS = ['control.db', 'host.log', 'set-aside'];

/** True when other users may read a folder; always false on Windows, whose modes do not tell. */
const isOpen = (root: string): boolean => process.platform !== 'win32' && (statSync(root).mode & 0o077) !== 0;

/** True when a folder that a host would close to others serves another purpose, e.g. as a user's home. */
function isSomethingElse(root: string): boolean {
  if (!existsSync(root) || !isOpen(root)) return false;
  const names = new Set(readdirSync(root));
  const isOurs = SIGNS.some((name) => names.has(name)) || MADE_AT_ONCE.every((name) => names.has(name));
  return !isOurs && [...names].some((name) => !MAY_BE_THERE.has(name) && !MADE_AT_ONCE.includes(name));
}

/**
 * Creates the data folder, closed to other users (0700). Throws INVALID_REQUEST for a folder that is open to them and
 * holds other things, and an error with a message for people when it cannot be made.
 */
export function openDataFolder(dir: string): DataFolder {
  const folder = dataFolderAt(dir);
  const bytes = Buffer.byteLength(folder.root);
  if (bytes > MAX_ROOT_BYTES) {
    throw new PlatformError(
      'INVALID_REQUEST',
      `The path of the data folder is ${bytes} bytes long, and at most ${MAX_ROOT_BYTES} can be used: ${folder.root.slice(0, 80)}…`,
      {
        hint: 'Databases cannot be opened under a longer path. Choose a shorter one with --data DIR or PLATFORM_DATA_DIR.',
      },
    );
  }
  try {
    if (isSomethingElse(folder.root)) {
      throw new PlatformError(
        'INVALID_REQUEST',
        `${folder.root} holds other things, which would be closed to other users of this machine`,
        {
          hint: `Nothing was changed. Name a folder of its own, e.g. --data "${join(folder.root, 'bot-platform')}": it is made if it is missing.`,
        },
      );
    }
    for (const path of [folder.root, folder.backups, folder.catalog, folder.bots]) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    }
    if (isOpen(folder.root)) chmodSync(folder.root, 0o700);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new PlatformError('INVALID_REQUEST', `The data folder ${folder.root} cannot be used: ${errorText(error)}`, {
      hint: 'Make it writable for this user, or choose another one with --data DIR or PLATFORM_DATA_DIR.',
      cause: error,
    });
  }
  return folder;
}
