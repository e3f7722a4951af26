import type { ProjectFile } from '../../../contract/project.ts';
import { HostError, toHostError } from '../host-error.ts';
import type { Checks } from './checks.ts';
import type { Draft } from './drafts.ts';
import { isDirty, type OpenFile, openedDraft, openedFile, seenOnDisk } from './open-file-state.ts';
import type { Place, SessionParts, SessionState } from './state.ts';

/** Interval of storing typed text. */
const DRAFT_MS = 250;

const isAtOrBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);

/** The open files: their text, the disk's, and what has been saved. */
export class OpenFiles {
  readonly #parts: SessionParts;
  readonly #checks: Checks;
  readonly #saves = new Map<string, Promise<boolean>>();
  /** Paths whose text is newer than its draft. */
  readonly #unstored = new Set<string>();
  /** The requested file: a late answer for another one is not shown. */
  #wanted: string | null = null;
  /** Drafts from before this page was loaded, until all of them are shown. */
  #found: Promise<ReadonlyMap<string, Draft>> | null = null;

  constructor(parts: SessionParts, checks: Checks) {
    this.#parts = parts;
    this.#checks = checks;
  }

  get #state(): SessionState {
    return this.#parts.store.getState();
  }

  /** Opens the files that were open before, unsaved ones first. */
  async restore(): Promise<void> {
    this.#found = this.#stored(() => this.#parts.drafts.all(), []).then(
      (drafts) => new Map(drafts.map((draft) => [draft.path, draft])),
    );
    const [draftOf, layout] = await Promise.all([this.#found, this.#stored(() => this.#parts.drafts.layout(), null)]);
    const paths = [...new Set([...(layout?.tabs ?? []), ...draftOf.keys()])];
    const refusals: unknown[] = [];
    const refuse = (thrown: unknown): void => void refusals.push(thrown);
    const opened = await Promise.all(paths.map((path) => this.#restored(path, draftOf.get(path) ?? null, refuse)));
    const restored = opened.filter((file) => file !== null);
    // The user may have opened files meanwhile, and typed in them.
    const { files: here, tabs: tabsHere, active: activeHere } = this.#state;
    const files = new Map([...restored.map((file) => [file.path, file] as const), ...here]);
    const tabs = [...new Set([...restored.map(({ path }) => path), ...tabsHere])];
    const wanted = layout?.active ?? null;
    const active = activeHere ?? (wanted !== null && files.has(wanted) ? wanted : (tabs[0] ?? null));
    this.#parts.store.setState({ files, tabs, active });
    this.#found = null;
    if (refusals.length > 0) this.#parts.voice.failed('Not every file could be read', refusals[0]);
    // A text saved just before the page closed is no draft any more, whatever happens to the file.
    const over = restored.filter((file) => draftOf.has(file.path) && !isDirty(file));
    await Promise.all(over.map(({ path }) => this.#storeDraft(path)));
  }

  async #restored(path: string, draft: Draft | null, refuse: (thrown: unknown) => void): Promise<OpenFile | null> {
    try {
      const file = await this.#read(path);
      if (file !== null) return openedFile(file, draft);
      return draft === null ? null : openedDraft(draft);
    } catch (thrown) {
      refuse(thrown);
      // The draft is shown all the same, although the state of the file is unknown.
      return draft === null ? null : { ...openedDraft(draft), trouble: null };
    }
  }

  /** A file on the disk; null if it is missing or unreadable. */
  async #read(path: string): Promise<ProjectFile | null> {
    const { socket, project } = this.#parts;
    try {
      return await socket.read('projects.read', { project_id: project.project_id, path });
    } catch (thrown) {
      const { code } = toHostError(thrown);
      if (code === 'FILE_NOT_FOUND' || code === 'FORBIDDEN' || code === 'INVALID_REQUEST') return null;
      throw thrown;
    }
  }

  /** The saved text of a file, without showing it; null if it is unreadable now. */
  async onDisk(path: string): Promise<string | null> {
    try {
      return (await this.#read(path))?.content ?? null;
    } catch (thrown) {
      if (thrown instanceof HostError) return null;
      throw thrown;
    }
  }

  /** Checks whether open files at or below some paths (default: all) are unchanged on the disk. */
  async recheck(paths?: readonly string[]): Promise<void> {
    const open = [...this.#state.files.keys()];
    const meant = paths === undefined ? open : open.filter((path) => paths.some((one) => isAtOrBelow(path, one)));
    try {
      await Promise.all(meant.map((path) => this.#recheckOne(path)));
    } catch (thrown) {
      // Without a connection the state is unknown until it is back.
      if (toHostError(thrown).code !== 'CONNECTION_LOST') this.#parts.voice.failed('A file could not be read', thrown);
    }
  }

  async #recheckOne(path: string): Promise<void> {
    const before = this.#state.files.get(path);
    const now = await this.#read(path);
    const file = this.#state.files.get(path);
    if (file === undefined) return;
    if (this.#saves.has(path) || file.version !== before?.version) {
      // Another answer overtook this one, so either may be outdated.
      await this.#saves.get(path);
      return this.#recheckOne(path);
    }
    const seen = seenOnDisk(file, now);
    if (seen === file) return;
    if (seen.trouble === 'gone' && !isDirty(file)) {
      this.#drop(path);
      return;
    }
    this.#put(seen);
    // Another page of this browser that saved the file has removed the draft, which both pages share.
    if (isDirty(seen)) this.#keepDraft(path);
  }

  #put(file: OpenFile): void {
    this.#parts.store.setState({ files: new Map(this.#state.files).set(file.path, file) });
  }

  #drop(path: string): void {
    const { tabs, active } = this.#state;
    const files = new Map(this.#state.files);
    files.delete(path);
    const at = tabs.indexOf(path);
    const left = tabs.filter((one) => one !== path);
    const next = active === path ? (left[Math.min(at, left.length - 1)] ?? null) : active;
    this.#parts.store.setState({ files, tabs: left, active: next });
    this.#keepLayout();
    this.#checks.typed(path);
  }

  #keepLayout(): void {
    const { tabs, active } = this.#state;
    const { later, drafts } = this.#parts;
    later.do('layout', DRAFT_MS, DRAFT_MS, () => this.#stored(() => drafts.putLayout({ tabs, active }), undefined));
  }

  /** Shows a file, at a place if given. */
  async open(path: string, place?: Omit<Place, 'path'>): Promise<void> {
    const { socket, project, store, voice } = this.#parts;
    this.#wanted = path;
    try {
      if (!this.#state.files.has(path)) {
        const file = await socket.read('projects.read', { project_id: project.project_id, path });
        const draft = (await this.#found)?.get(path) ?? null;
        if (!this.#state.files.has(path)) this.#put(openedFile(file, draft));
      }
      const { tabs } = this.#state;
      if (!tabs.includes(path)) store.setState({ tabs: [...tabs, path] });
      if (this.#wanted === path)
        store.setState({ active: path, ...(place === undefined ? {} : { reveal: { path, ...place } }) });
      this.#keepLayout();
      this.#checks.typed(path);
    } catch (thrown) {
      voice.failed(`${path} cannot be opened`, thrown);
    }
  }

  revealed(): void {
    this.#parts.store.setState({ reveal: null });
  }

  /** Closes a tab with its unsaved text: the caller has asked the user. */
  async close(path: string): Promise<void> {
    const file = this.#state.files.get(path);
    this.#unstored.delete(path);
    this.#drop(path);
    if (file !== undefined && isDirty(file)) await this.#storeDraft(path);
  }

  /** Accepts typed text. */
  edit(path: string, text: string): void {
    const file = this.#state.files.get(path);
    if (file === undefined || file.text === text) return;
    this.#put({ ...file, text });
    this.#keepDraft(path);
    this.#checks.typed(path);
  }

  /** Changes the text of an open file other than by typing; the editor shows it as an edit that can be undone. */
  replaceText(path: string, text: string): void {
    const file = this.#state.files.get(path);
    if (file === undefined || file.text === text) return;
    this.#put({ ...file, text, revision: file.revision + 1 });
    this.#keepDraft(path);
    this.#checks.typed(path);
  }

  /** Stores the text at once, and repeatedly during typing, so that a crash loses only the newest. */
  #keepDraft(path: string): void {
    const isFirst = !this.#unstored.has(path);
    this.#unstored.add(path);
    this.#parts.later.do(`draft ${path}`, isFirst ? 0 : DRAFT_MS, DRAFT_MS, async () => {
      await this.#storeDraft(path);
    });
  }

  /** Stores all drafts now: the page may close, and another page may have removed the stored ones. */
  async keepDrafts(): Promise<void> {
    this.#parts.later.hurry('layout');
    const typed = [...this.#state.files.values()].filter(isDirty).map(({ path }) => path);
    await Promise.all([...new Set([...this.#unstored, ...typed])].map((path) => this.#storeDraft(path)));
  }

  async #storeDraft(path: string): Promise<void> {
    this.#parts.later.cancel(`draft ${path}`);
    this.#unstored.delete(path);
    const file = this.#state.files.get(path);
    const { drafts } = this.#parts;
    await this.#stored(
      () =>
        file === undefined || !isDirty(file)
          ? drafts.remove(path)
          : drafts.put({ path, text: file.text, version: file.base }),
      undefined,
    );
  }

  /** A browser may refuse to store: the editor works without, and says so once. */
  async #stored<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (this.#state.isKept) this.#parts.voice.failed('What you type is not kept here: save it often', thrown);
      this.#parts.store.setState({ isKept: false });
      return otherwise;
    }
  }

  /** Saves a file; false when it was not saved, and the reason is shown. Two saves of a file go one after the other. */
  async save(path: string): Promise<boolean> {
    for (let other = this.#saves.get(path); other !== undefined; other = this.#saves.get(path)) await other;
    const file = this.#state.files.get(path);
    if (file === undefined || file.kind !== 'text') return false;
    if (!isDirty(file)) return true;
    if (file.trouble !== null) {
      const text = file.trouble === 'gone' ? 'is not there any more' : 'was changed by another program';
      const reason = new Error(`It ${text}: choose above the text what is to be kept.`);
      this.#parts.voice.failed(`${path} was not saved`, reason);
      return false;
    }
    const mine = this.#write(file).finally(() => this.#saves.delete(path));
    this.#saves.set(path, mine);
    const isSaved = await mine;
    // A refused save is checked again, now that no save is running.
    if (!isSaved) await this.recheck([path]);
    return isSaved;
  }

  async #write(file: OpenFile): Promise<boolean> {
    const { socket, project, voice } = this.#parts;
    const { path, text: content, base: version } = file;
    this.#put({ ...file, sent: content });
    try {
      const input = { project_id: project.project_id, path, content, version };
      const written = await socket.call('projects.write', input);
      const now = this.#state.files.get(path);
      if (now !== undefined) {
        this.#put({ ...now, saved: content, version: written.version, base: written.version, sent: null });
      }
      await this.#storeDraft(path);
      this.#checks.soon();
      return true;
    } catch (thrown) {
      if (toHostError(thrown).code !== 'FILE_CHANGED') voice.failed(`${path} was not saved`, thrown);
      return false;
    }
  }

  /** Saves everything, or what lies at or below a path; false when something was not. */
  async saveAll(below?: string): Promise<boolean> {
    const paths = [...this.#state.files.values()].filter(isDirty).map(({ path }) => path);
    const meant = below === undefined ? paths : paths.filter((path) => isAtOrBelow(path, below));
    const saved = await Promise.all(meant.map((path) => this.save(path)));
    return saved.every(Boolean);
  }

  /** Settles a conflict with the disk: either the typed text wins or the disk's. */
  async settle(path: string, keep: 'mine' | 'theirs'): Promise<void> {
    const file = this.#state.files.get(path);
    if (file === undefined) return;
    if (keep === 'mine') {
      this.#put({ ...file, base: file.version, trouble: null });
      await this.save(path);
      return;
    }
    try {
      const theirs = await this.#read(path);
      const now = this.#state.files.get(path);
      if (now === undefined) return;
      if (theirs === null && now.trouble === 'gone') return await this.close(path);
      this.#put(theirs === null ? seenOnDisk(now, null) : { ...openedFile(theirs, null), revision: now.revision + 1 });
      await this.#storeDraft(path);
      this.#checks.soon();
    } catch (thrown) {
      this.#parts.voice.failed(`${path} could not be read`, thrown);
    }
  }

  /** Takes tabs away whose file was removed: all at or below a path. */
  async closeAll(below: string): Promise<void> {
    for (const path of [...this.#state.files.keys()]) if (isAtOrBelow(path, below)) await this.close(path);
  }

  /** Waits for saves of files at or below a path, which would recreate a moved file. */
  async settled(below: string): Promise<void> {
    await Promise.all([...this.#saves].filter(([path]) => isAtOrBelow(path, below)).map(([, save]) => save));
  }

  /** An open file with unsaved text at or below a path, outside of what will be moved there. */
  unsavedAt(path: string, moved: string): string | null {
    const open = [...this.#state.files.values()].filter((file) => isAtOrBelow(file.path, path));
    return open.find((file) => isDirty(file) && !isAtOrBelow(file.path, moved))?.path ?? null;
  }

  /** Keeps open files of a renamed path open with their text. */
  async moved(from: string, to: string): Promise<void> {
    const after = (path: string): string => (isAtOrBelow(path, from) ? to + path.slice(from.length) : path);
    const { tabs, active } = this.#state;
    const before = [...this.#state.files.values()];
    const files = new Map(before.map((file) => [after(file.path), { ...file, path: after(file.path) }]));
    this.#parts.store.setState({ files, tabs: tabs.map(after), active: active === null ? null : after(active) });
    for (const { path } of before) {
      if (after(path) === path) continue;
      // The new one first: something is stored at every moment.
      await this.#storeDraft(after(path));
      await this.#storeDraft(path);
    }
    this.#keepLayout();
  }
}
