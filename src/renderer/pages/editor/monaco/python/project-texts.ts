import type { ProjectSession } from '../../../../data/project/project-session.ts';
import type { SessionState } from '../../../../data/project/state.ts';

/** A project with more files is one with packages inside; what the bot imports of its own is in the first ones. */
const MOST_FILES = 200;
const MOST_CHARS = 500_000;
/** How long typing must rest before it is passed on; a question passes it on at once. */
const QUIET_MS = 150;
/** Folders whose files are not the author's. */
const OF_OTHERS = /(?:^|\/)(?:vendor|node_modules|site-packages|venv|\.[^/]+)\//;

const isOwn = (path: string): boolean => path.endsWith('.py') && !OF_OTHERS.test(path);

/** Follows the Python texts of a project: those that are typed, and those of files that are not open, from the disk. */
export class ProjectTexts {
  readonly #session: ProjectSession;
  readonly #changed: (texts: ReadonlyMap<string, string>) => void;
  readonly #unsubscribe: () => void;
  #disk: ReadonlyMap<string, string> = new Map();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  constructor(session: ProjectSession, changed: (texts: ReadonlyMap<string, string>) => void) {
    this.#session = session;
    this.#changed = changed;
    this.#unsubscribe = session.store.subscribe((state, before) => {
      if (state.entries !== before.entries) void this.#read(state.entries);
      if (state.files !== before.files) this.#timer ??= setTimeout(() => this.flush(), QUIET_MS);
    });
    this.flush();
    void this.#read(session.store.getState().entries);
  }

  async #read(entries: SessionState['entries']): Promise<void> {
    const paths = (entries ?? []).filter(({ path, kind }) => kind === 'file' && isOwn(path)).map(({ path }) => path);
    const texts = await Promise.all(
      paths.slice(0, MOST_FILES).map(async (path) => [path, await this.#session.files.onDisk(path)] as const),
    );
    // A later reading is on its way.
    if (this.#closed || entries !== this.#session.store.getState().entries) return;
    const small = texts.flatMap(([path, text]) =>
      text === null || text.length > MOST_CHARS ? [] : [[path, text] as const],
    );
    this.#disk = new Map(small);
    this.flush();
  }

  /** Passes on what is typed. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#closed) return;
    const open = [...this.#session.store.getState().files.values()].filter(
      ({ path, kind, text }) => kind === 'text' && path.endsWith('.py') && text.length <= MOST_CHARS,
    );
    this.#changed(new Map([...this.#disk, ...open.map(({ path, text }) => [path, withoutMark(text)] as const)]));
  }

  close(): void {
    this.#closed = true;
    this.flush();
    this.#unsubscribe();
  }
}

/** The byte order mark is the file's, and no character of its first line. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');
