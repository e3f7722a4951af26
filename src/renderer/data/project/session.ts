import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import type { Output } from '../../../contract/operations.ts';
import type {
  Project,
  ProjectEntry,
  ProjectEvent,
  ProjectFile,
  ProjectRun,
  PublishStep,
  RunLine,
} from '../../../contract/project.ts';
import { HostError, toHostError } from '../host-error.ts';
import type { HostSocket, Subscription } from '../socket.ts';
import type { Drafts } from './drafts.ts';
import { isDirty, type OpenFile, openedDraft, openedFile, seenOnDisk, withTheirs } from './open-file.ts';

/** What the editor shows of a project. */
export interface SessionState {
  /** null until the first answer. */
  readonly entries: readonly ProjectEntry[] | null;
  readonly truncated: boolean;
  readonly files: ReadonlyMap<string, OpenFile>;
  readonly tabs: readonly string[];
  readonly active: string | null;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  readonly run: ProjectRun | null;
  readonly lines: readonly RunLine[];
  readonly publish: PublishStep | null;
  /** What keeps the project from being shown at all. */
  readonly error: HostError | null;
  /** Where the text is to be shown next: set by a search, a problem or the tree. */
  readonly reveal: Place | null;
}

/** A place in a file; line and column count from 1. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** What a session says to the person in front of it. */
export interface Voice {
  readonly done: (text: string, undo?: () => void) => void;
  readonly failed: (text: string, thrown: unknown) => void;
}

const CHECK_MS = 250;
const DRAFT_MS = 250;
const TREE_MS = 150;
const LINES_SHOWN = 2000;
/** Texts that the host's validator reads; others say nothing about whether a project is valid. */
const CHECKED = /^(bot-config\.yaml|instance\.json|.*\.json)$/;
/** All texts of a check must fit into one message. */
const OVERLAY_CHARS = 400_000;

const EMPTY: SessionState = {
  entries: null,
  truncated: false,
  files: new Map(),
  tabs: [],
  active: null,
  problems: [],
  warnings: [],
  run: null,
  lines: [],
  publish: null,
  error: null,
  reveal: null,
};

/** A project that is open in this page: its files with what is typed and not saved, its problems, its run. */
export class ProjectSession {
  readonly project: Project;
  readonly store: StoreApi<SessionState> = createStore(() => EMPTY);
  readonly #socket: Pick<HostSocket, 'call' | 'stream'>;
  readonly #drafts: Drafts;
  readonly #voice: Voice;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #stream: Subscription | null = null;
  #checks = 0;
  #closed = false;

  constructor(project: Project, socket: Pick<HostSocket, 'call' | 'stream'>, drafts: Drafts, voice: Voice) {
    this.project = project;
    this.#socket = socket;
    this.#drafts = drafts;
    this.#voice = voice;
  }

  get #id(): { readonly project_id: string } {
    return { project_id: this.project.project_id };
  }

  get #state(): SessionState {
    return this.store.getState();
  }

  /** Opens what was open before, unsaved texts first, and follows what happens. */
  async start(): Promise<void> {
    // The tree is what is looked for first; it is read again once changes are heard of.
    void this.#loadTree();
    const [drafts, layout] = await Promise.all([this.#drafts.all(), this.#drafts.layout()]);
    const draftOf = new Map(drafts.map((draft) => [draft.path, draft]));
    const paths = [...new Set([...(layout?.tabs ?? []), ...draftOf.keys()])];
    const opened = await Promise.all(
      paths.map(async (path): Promise<OpenFile | null> => {
        const draft = draftOf.get(path) ?? null;
        const file = await this.#read(path);
        if (file !== null) return openedFile(file, draft);
        return draft === null ? null : openedDraft(draft);
      }),
    );
    if (this.#closed) return;
    const files = new Map(opened.flatMap((file) => (file === null ? [] : [[file.path, file] as const])));
    const tabs = [...files.keys()];
    const wanted = layout?.active ?? null;
    const active = wanted !== null && files.has(wanted) ? wanted : (tabs[0] ?? null);
    this.store.setState({ files, tabs, active });
    this.#stream = this.#socket.stream('projects.stream', this.#id, {
      event: (event) => this.#heard(event),
      end: (error) => error !== null && this.store.setState({ error }),
    });
  }

  /** Stops following; what is typed is stored at once. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stream?.cancel();
    const kept = this.keepDrafts();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await kept;
  }

  /** Does something once nothing has asked for it again for a while. */
  #later(key: string, ms: number, work: () => Promise<void>): void {
    clearTimeout(this.#timers.get(key));
    const run = (): void => {
      this.#timers.delete(key);
      work().catch((thrown: unknown) => {
        if (!this.#closed) this.#voice.failed('The editor lost touch with the project', thrown);
      });
    };
    this.#timers.set(key, setTimeout(run, ms));
  }

  #heard(event: ProjectEvent): void {
    if ('state' in event) {
      this.store.setState({ run: event.state.run });
      this.#later('tree', 0, () => this.#loadTree());
      this.#later('check', 0, () => this.#check());
      void this.recheck([...this.#state.files.keys()]);
    } else if ('changed' in event) {
      this.#later('tree', TREE_MS, () => this.#loadTree());
      void this.recheck(event.changed);
      this.#later('check', CHECK_MS, () => this.#check());
    } else if ('run' in event) this.store.setState({ run: event.run });
    else if ('lines' in event) this.#said(event.lines);
    else this.store.setState({ publish: event.publish });
  }

  #said(lines: readonly RunLine[]): void {
    const last = this.#state.lines.at(-1)?.seq ?? 0;
    const fresh = lines.filter(({ seq }) => seq > last);
    this.store.setState({ lines: [...this.#state.lines, ...fresh].slice(-LINES_SHOWN) });
  }

  async #loadTree(): Promise<void> {
    try {
      const { entries, truncated } = await this.#socket.call('projects.tree', this.#id);
      this.store.setState({ entries, truncated, error: null });
    } catch (thrown) {
      this.store.setState({ error: toHostError(thrown) });
    }
  }

  /** A file on the disk; null when there is none that can be read. */
  async #read(path: string): Promise<ProjectFile | null> {
    try {
      return await this.#socket.call('projects.read', { ...this.#id, path });
    } catch (thrown) {
      const { code } = toHostError(thrown);
      if (code === 'FILE_NOT_FOUND' || code === 'FORBIDDEN' || code === 'INVALID_REQUEST') return null;
      throw thrown;
    }
  }

  /** Looks whether open files are still as they were read. */
  async recheck(paths: readonly string[]): Promise<void> {
    const open = paths.filter((path) => this.#state.files.has(path));
    const below = [...this.#state.files.keys()].filter((path) => paths.some((one) => path.startsWith(`${one}/`)));
    try {
      await Promise.all([...new Set([...open, ...below])].map((path) => this.#recheckOne(path)));
    } catch (thrown) {
      // Without a connection nothing is known; what is asked when it is back tells.
      if (toHostError(thrown).code !== 'CONNECTION_LOST') this.#voice.failed('A file could not be read', thrown);
    }
  }

  async #recheckOne(path: string): Promise<void> {
    const before = this.#state.files.get(path);
    const now = await this.#read(path);
    const file = this.#state.files.get(path);
    // What was saved meanwhile is newer than this answer.
    if (file === undefined || file.saving || file.version !== before?.version) return;
    const seen = seenOnDisk(file, now);
    if (seen === file) return;
    if (seen.trouble === 'gone' && !isDirty(file)) this.#drop(path);
    else this.#put(seen);
  }

  #put(file: OpenFile): void {
    const files = new Map(this.#state.files);
    files.set(file.path, file);
    this.store.setState({ files });
  }

  #drop(path: string): void {
    const { tabs, active } = this.#state;
    const files = new Map(this.#state.files);
    files.delete(path);
    const at = tabs.indexOf(path);
    const left = tabs.filter((one) => one !== path);
    const next = active === path ? (left[Math.min(at, left.length - 1)] ?? null) : active;
    this.store.setState({ files, tabs: left, active: next });
    this.#keepLayout();
  }

  #keepLayout(): void {
    const { tabs, active } = this.#state;
    this.#later('layout', DRAFT_MS, () => this.#drafts.putLayout({ tabs, active }));
  }

  /** Shows a file, at a place of it where one is named. */
  async open(path: string, place?: Omit<Place, 'path'>): Promise<void> {
    try {
      if (!this.#state.files.has(path)) {
        const file = await this.#socket.call('projects.read', { ...this.#id, path });
        if (!this.#state.files.has(path)) this.#put(openedFile(file, null));
      }
      const { tabs } = this.#state;
      this.store.setState({
        active: path,
        tabs: tabs.includes(path) ? tabs : [...tabs, path],
        ...(place === undefined ? {} : { reveal: { path, ...place } }),
      });
      this.#keepLayout();
    } catch (thrown) {
      this.#voice.failed(`${path} cannot be opened`, thrown);
    }
  }

  revealed(): void {
    this.store.setState({ reveal: null });
  }

  /** Takes a tab away with what was typed in it and not saved: whoever calls has asked. */
  async closeTab(path: string): Promise<void> {
    clearTimeout(this.#timers.get(`draft ${path}`));
    this.#timers.delete(`draft ${path}`);
    const file = this.#state.files.get(path);
    const wasDirty = file !== undefined && isDirty(file);
    this.#drop(path);
    await this.#drafts.remove(path);
    if (wasDirty) this.#later('check', CHECK_MS, () => this.#check());
  }

  /** Takes over what was typed. */
  edit(path: string, text: string): void {
    const file = this.#state.files.get(path);
    if (file === undefined || file.text === text) return;
    this.#put({ ...file, text });
    this.#keepDraft(path);
    if (CHECKED.test(path)) this.#later('check', CHECK_MS, () => this.#check());
  }

  /** Stores what was typed at once, and again when the typing has gone on: a crash may take what is newer than that. */
  #keepDraft(path: string): void {
    const key = `draft ${path}`;
    if (!this.#timers.has(key)) this.#later(`first ${path}`, 0, () => this.#storeDraft(path));
    this.#later(key, DRAFT_MS, () => this.#storeDraft(path));
  }

  /** Stores everything that was typed now: the page may go. */
  async keepDrafts(): Promise<void> {
    const waiting = [...this.#timers.keys()].filter((key) => key.startsWith('draft '));
    for (const key of waiting) {
      clearTimeout(this.#timers.get(key));
      this.#timers.delete(key);
    }
    await Promise.all(waiting.map((key) => this.#storeDraft(key.slice('draft '.length))));
  }

  async #storeDraft(path: string): Promise<void> {
    const file = this.#state.files.get(path);
    if (file === undefined || !isDirty(file)) await this.#drafts.remove(path);
    else await this.#drafts.put({ path, text: file.text, version: file.version });
  }

  async #check(): Promise<void> {
    this.#checks += 1;
    const mine = this.#checks;
    const dirty = [...this.#state.files.values()].filter((file) => isDirty(file) && CHECKED.test(file.path));
    let chars = 0;
    const overlays = dirty.flatMap(({ path, text }) => {
      chars += text.length;
      return chars > OVERLAY_CHARS ? [] : [{ path, content: text }];
    });
    try {
      const { problems, warnings } = await this.#socket.call('projects.check', { ...this.#id, overlays });
      if (mine === this.#checks) this.store.setState({ problems, warnings });
    } catch (thrown) {
      if (toHostError(thrown).code !== 'CONNECTION_LOST') throw thrown;
    }
  }

  /** Saves a file; false when it was not saved, and the reason is shown. */
  async save(path: string): Promise<boolean> {
    const file = this.#state.files.get(path);
    if (file === undefined || file.saving || file.kind !== 'text') return false;
    if (!isDirty(file)) return true;
    if (file.trouble !== null) {
      const text = file.trouble === 'gone' ? 'is not there any more' : 'was changed by another program';
      this.#voice.failed(`${path} was not saved`, new Error(`It ${text}: choose above the text what is to be kept.`));
      return false;
    }
    this.#put({ ...file, saving: true });
    try {
      const { text: content, version } = file;
      const written = await this.#socket.call('projects.write', { ...this.#id, path, content, version });
      this.#settle(path, (now) => ({ ...now, saved: content, version: written.version, trouble: null }));
      await this.#storeDraft(path);
      this.#later('check', 0, () => this.#check());
      return true;
    } catch (thrown) {
      this.#settle(path, (now) => now);
      if (toHostError(thrown).code === 'FILE_CHANGED') await this.recheck([path]);
      else this.#voice.failed(`${path} was not saved`, thrown);
      return false;
    }
  }

  #settle(path: string, change: (file: OpenFile) => OpenFile): void {
    const now = this.#state.files.get(path);
    if (now !== undefined) this.#put({ ...change(now), saving: false });
  }

  /** Saves everything; false when something was not. */
  async saveAll(): Promise<boolean> {
    const dirty = [...this.#state.files.values()].filter(isDirty);
    const saved = await Promise.all(dirty.map(({ path }) => this.save(path)));
    return saved.every(Boolean);
  }

  /** Ends a disagreement with the disk: the typed text wins, or what is on the disk. */
  async settleTrouble(path: string, keep: 'mine' | 'theirs'): Promise<void> {
    const file = this.#state.files.get(path);
    if (file === undefined) return;
    if (keep === 'mine') {
      this.#put({ ...file, trouble: null });
      await this.save(path);
    } else if (file.saved === null) await this.closeTab(path);
    else {
      this.#put(withTheirs(file));
      await this.#storeDraft(path);
      this.#later('check', 0, () => this.#check());
    }
  }

  /** Makes a file or folder; throws what the host says. */
  async create(path: string, kind: 'file' | 'folder'): Promise<void> {
    if (kind === 'folder') await this.#socket.call('projects.create_folder', { ...this.#id, path });
    else {
      const parent = path.split('/').slice(0, -1).join('/');
      const isThere = parent === '' || this.#state.entries?.some((one) => one.path === parent);
      if (isThere !== true) await this.#socket.call('projects.create_folder', { ...this.#id, path: parent });
      await this.#socket.call('projects.write', { ...this.#id, path, content: '', version: null });
      await this.open(path);
    }
    await this.#loadTree();
  }

  /** Renames a file or folder; open files of it stay open with what was typed. Throws what the host says. */
  async rename(from: string, to: string): Promise<void> {
    await this.#socket.call('projects.rename', { ...this.#id, from, to });
    const moved = (path: string): string =>
      path === from ? to : path.startsWith(`${from}/`) ? to + path.slice(from.length) : path;
    const { tabs, active } = this.#state;
    const before = [...this.#state.files.values()];
    const files = new Map(before.map((file) => [moved(file.path), { ...file, path: moved(file.path) }]));
    this.store.setState({ files, tabs: tabs.map(moved), active: active === null ? null : moved(active) });
    for (const { path } of before) {
      if (moved(path) === path) continue;
      await this.#drafts.remove(path);
      await this.#storeDraft(moved(path));
    }
    this.#keepLayout();
    await this.#loadTree();
  }

  /** Removes a file or folder; it can be had back. */
  async remove(path: string): Promise<void> {
    try {
      const { kept } = await this.#socket.call('projects.delete', { ...this.#id, path });
      for (const one of [...this.#state.files.keys()]) {
        if (one === path || one.startsWith(`${path}/`)) await this.closeTab(one);
      }
      this.#voice.done(`${path} was removed`, () => {
        this.#socket.call('projects.rename', { ...this.#id, from: kept, to: path }).then(
          () => this.#loadTree(),
          (thrown: unknown) => this.#voice.failed(`${path} could not be had back`, thrown),
        );
      });
      await this.#loadTree();
    } catch (thrown) {
      this.#voice.failed(`${path} was not removed`, thrown);
    }
  }

  search(text: string, matchCase: boolean): Promise<Output<'projects.search'>> {
    return this.#socket.call('projects.search', { ...this.#id, text, match_case: matchCase, limit: 500 });
  }

  /** What differs from the highest published version. */
  changes(): Promise<Output<'projects.changes'>> {
    return this.#socket.call('projects.changes', this.#id);
  }

  /** Text of a file of a published version; null: no such file, or no text. */
  async publishedText(version: string, path: string): Promise<string | null> {
    try {
      return (await this.#socket.call('projects.published_file', { ...this.#id, version, path })).content;
    } catch (thrown) {
      if (toHostError(thrown).code === 'FILE_NOT_FOUND') return null;
      throw thrown;
    }
  }

  /** Saves everything and runs the project here. Throws what keeps it from running. */
  async run(): Promise<void> {
    if (!(await this.saveAll())) throw notSaved();
    this.store.setState({ lines: [] });
    // Its state comes with the events, in their order.
    await this.#socket.call('projects.run', this.#id);
  }

  async stop(): Promise<void> {
    await this.#socket.call('projects.stop', this.#id);
  }

  /** Saves everything and publishes the project. Throws what keeps it from that. */
  async publish(): Promise<Output<'projects.publish'>> {
    if (!(await this.saveAll())) throw notSaved();
    try {
      return await this.#socket.call('projects.publish', this.#id);
    } finally {
      this.store.setState({ publish: null });
    }
  }
}

function notSaved(): HostError {
  return new HostError({
    code: 'FILE_CHANGED',
    message: 'Not every file could be saved',
    hint: 'Choose in each marked file which text is to be kept, then try again.',
    details: null,
    request_id: null,
  });
}
