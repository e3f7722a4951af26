import { type FSWatcher, watch } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemErrorCode } from '../../../node/system-error.ts';
import { isIgnored, walkTree } from './walk-tree.ts';

/** Limit of watched folders: systems have few watches, and other programs need some. */
const MOST_FOLDERS = 2000;
/** Time within which changes are reported together, because they come in bursts. */
const TOGETHER_MS = 80;
/** Number of paths above which changes are not reported one by one. */
const MOST_PATHS = 2000;
/** Interval of checks for a folder that went away, because the system does not report its return. */
const AWAY_MS = 1000;

/** Errors of a folder that cannot be watched: no watches left, no permission, or too deep a path. */
const UNWATCHABLE = new Set(['ENOSPC', 'EMFILE', 'EACCES', 'EPERM', 'ENAMETOOLONG']);

/** Watches the folders of a project that an editor shows, and reports changed paths. */
export class FolderWatch {
  readonly #root: string;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();
  readonly #tell: (paths: string[] | null) => void;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #complete = true;
  /** True if the folder itself was moved or removed: its replacement has no watch yet. */
  #isLost = false;
  #isAway = false;

  /** `tell` gets null when more has changed than can be reported path by path. */
  constructor(root: string, tell: (paths: string[] | null) => void, report: (error: unknown) => void) {
    this.#root = root;
    this.#tell = tell;
    this.#report = report;
  }

  /** False when changes may go unnoticed, because of too many folders or because watching is impossible. */
  get complete(): boolean {
    return this.#complete && !this.#isAway;
  }

  /** Begins to watch; resolves once every folder is watched. */
  async start(): Promise<void> {
    this.#add('');
    await this.#addBelow();
  }

  async #addBelow(): Promise<void> {
    const { entries, truncated } = await walkTree(this.#root);
    if (truncated) this.#complete = false;
    for (const { path, kind } of entries) if (kind === 'folder') this.#add(path);
  }

  #add(folder: string): void {
    if (this.#closed || this.#watchers.has(folder)) return;
    if (this.#watchers.size >= MOST_FOLDERS) {
      this.#complete = false;
      return;
    }
    try {
      const watcher = watch(join(this.#root, folder), (_, name) => this.#heard(folder, name));
      watcher.on('error', () => this.#drop(folder));
      this.#watchers.set(folder, watcher);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return;
      this.#complete = false;
      if (code === null || !UNWATCHABLE.has(code)) this.#report(error);
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #heard(folder: string, name: string | null): void {
    if (this.#closed || (name !== null && isIgnored(name))) return;
    // When the folder itself goes, the system reports its own name. A file of this name costs only a second check.
    if (folder === '' && name === basename(this.#root)) this.#isLost = true;
    if (this.#changed.size <= MOST_PATHS)
      this.#changed.add(name === null ? folder : folder === '' ? name : `${folder}/${name}`);
    this.#timer ??= setTimeout(() => void this.#flush(), TOGETHER_MS);
  }

  /**
   * Reports changes. Changes that arrive meanwhile wait, because finding new folders may take longer than changes take
   * to arrive.
   */
  async #flush(): Promise<void> {
    if (this.#isLost && (await statOrNull(this.#root))?.isDirectory() !== true) return this.#wait();
    if (this.#isAway) this.#complete = true;
    const paths = this.#isLost || this.#changed.size > MOST_PATHS ? null : [...this.#changed];
    this.#isLost = false;
    this.#isAway = false;
    this.#changed.clear();
    // A folder that went and returned needs a new watch; walking the tree finds the new ones.
    const gone = paths === null ? null : new Set(paths);
    for (const folder of this.#watchers.keys()) if (gone === null || isAtOrBelow(folder, gone)) this.#drop(folder);
    try {
      await this.#look(paths);
      if (!this.#closed) this.#tell(paths);
    } catch (error) {
      this.#report(error);
    }
    const isMore = !this.#closed && this.#changed.size > 0;
    this.#timer = isMore ? setTimeout(() => void this.#flush(), TOGETHER_MS) : undefined;
  }

  /** Waits for the return of the folder, since a missing folder cannot be watched. */
  #wait(): void {
    const isNew = !this.#isAway;
    this.#isAway = true;
    this.#changed.clear();
    this.#dropAll();
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#flush(), AWAY_MS);
    if (isNew) this.#tell(null);
  }

  /** Searches for new folders only where a folder has appeared. */
  async #look(paths: readonly string[] | null): Promise<void> {
    if (paths === null) return this.start();
    const stats = await Promise.all(paths.map((path) => statOrNull(join(this.#root, path))));
    if (stats.some((one) => one?.isDirectory() === true)) await this.#addBelow();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#dropAll();
  }

  #dropAll(): void {
    for (const folder of [...this.#watchers.keys()]) this.#drop(folder);
  }
}

/** True if a folder, or one above it, is among some; the project itself never counts. */
function isAtOrBelow(folder: string, some: ReadonlySet<string>): boolean {
  for (let end = folder.length; end > 0; end = folder.lastIndexOf('/', end - 1)) {
    if (some.has(folder.slice(0, end))) return true;
  }
  return false;
}

async function statOrNull(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (systemErrorCode(error) !== null) return null; // The folder is gone or unreadable: there is nothing to watch.
    throw error;
  }
}
