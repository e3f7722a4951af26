import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { PlatformError } from '../../contract/errors.ts';
import { dataDirOf } from '../../isomorphic/data-dir.ts';
import { errorText } from './system-error.ts';

/** Folders and files of one bot instance. */
export interface BotFolder {
  readonly root: string;
  /** The whole persisted state tree; keys live in its `.platform` folder (wire.md section 4). */
  readonly state: string;
  readonly runs: string;
  run(runId: string): string;
}

/** Where a host keeps everything. All paths are absolute; only `root` and its direct folders exist already. */
export interface DataFolder {
  readonly root: string;
  readonly controlDatabase: string;
  readonly backups: string;
  readonly catalog: string;
  readonly bots: string;
  /** Folders of instances that the control database does not know; made when there are any. */
  readonly aside: string;
  /** Discovery file of the local owner (contract/host.ts, Discovery). */
  readonly hostFile: string;
  readonly lockFile: string;
  readonly logFile: string;
  bot(botId: string): BotFolder;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The data folder in force: PLATFORM_DATA_DIR, else the OS's place for application data + `bot-platform` (wire.md
 * section 1). A relative setting counts from the working directory.
 */
export function defaultDataDir(env: Environment = process.env, platform = process.platform, home = homedir()): string {
  return resolve(dataDirOf(env, platform, home));
}

/** A name that came from a request never becomes more than one path segment. */
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
    lockFile: join(root, 'host.lock'),
    logFile: join(root, 'host.log'),
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

/** What may lie in a folder before it is a data folder: what its owner, the desktop app, a start or the system has put there. */
const MAY_BE_THERE = new Set(['settings.json', 'desktop', 'serve.log', 'lost+found', '.DS_Store']);
const MADE_AT_ONCE = ['backups', 'catalog', 'bots'];
/** Each tells a data folder, also one from which a restore that was cut short has moved the others. */
const SIGNS = ['control.db', 'host.log', 'set-aside'];

/** Whether other users may look into a folder. Windows says nothing of it here. */
const isOpen = (root: string): boolean => process.platform !== 'win32' && (statSync(root).mode & 0o077) !== 0;

/** Whether a folder that would have to be closed to others belongs to something else, e.g. is the home of a user. */
function isSomethingElse(root: string): boolean {
  if (!existsSync(root) || !isOpen(root)) return false;
  const names = new Set(readdirSync(root));
  const isOurs = SIGNS.some((name) => names.has(name)) || MADE_AT_ONCE.every((name) => names.has(name));
  return !isOurs && [...names].some((name) => !MAY_BE_THERE.has(name) && !MADE_AT_ONCE.includes(name));
}

/**
 * Creates the data folder, closed to other users (0700). Throws INVALID_REQUEST for one that is open to them and holds other
 * things, and with a message for people when it is impossible.
 */
export function openDataFolder(dir: string): DataFolder {
  const folder = dataFolderAt(dir);
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
    throw new Error(
      `The data folder ${folder.root} cannot be used: ${errorText(error)}. ` +
        'Make it writable for this user, or choose another one with --data DIR or PLATFORM_DATA_DIR.',
      { cause: error },
    );
  }
  return folder;
}
