import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import type { Output } from '../../../contract/operations.ts';
import type { Project, ProjectEvent, ProjectFile, ProjectRun, RunLine } from '../../../contract/project.ts';
import { HostError, toHostError } from '../host-error.ts';
import type { HostSocket, Subscription } from '../socket.ts';
import { Checks } from './checks.ts';
import { Debounce } from './debounce.ts';
import type { Drafts } from './drafts.ts';
import { OpenFiles } from './open-files.ts';
import { Replacements, type Wanted } from './replacements.ts';
import { EMPTY, type Place, type SessionParts, type SessionState, type Voice } from './state.ts';
import { type EditorStatus, NO_STATUS, type ServerActivity } from './status-bar-state.ts';

const TREE_QUIET_MS = 150;
const TREE_MOST_MS = 1000;
const LINES_SHOWN = 2000;
/** Wait, in ms, after the host has refused to follow a project: its folder may come back, and a busy host has time again. */
const FOLLOW_AGAIN_MS = 3000;

/** A file to show when a project is opened. */
export interface FirstShown {
  readonly path: string;
  readonly place?: Omit<Place, 'path'>;
}

/** A project open in this page: its files with unsaved text, its problems, its run. */
export class ProjectSession {
  readonly project: Project;
  readonly store: StoreApi<SessionState> = createStore(() => EMPTY);
  readonly status: StoreApi<EditorStatus> = createStore(() => NO_STATUS);
  readonly files: OpenFiles;
  readonly replacements: Replacements;
  readonly #parts: SessionParts;
  readonly #checks: Checks;
  #stream: Subscription | null = null;
  #closed = false;

  constructor(project: Project, socket: Pick<HostSocket, 'call' | 'read' | 'stream'>, drafts: Drafts, voice: Voice) {
    this.project = project;
    const later = new Debounce((thrown) => voice.failed('The editor lost the connection to the project', thrown));
    this.#parts = { project, store: this.store, socket, drafts, voice, later };
    this.#checks = new Checks(this.#parts);
    this.files = new OpenFiles(this.#parts, this.#checks);
    this.replacements = new Replacements(this.#parts, this.files);
  }

  get #id(): { readonly project_id: string } {
    return { project_id: this.project.project_id };
  }

  /** Opens the previous files and follows changes. Shows `wanted`, or without previous files the entry of the bot. */
  async start(wanted: FirstShown | null = null): Promise<void> {
    // The tree is wanted first; it is read again once changes arrive.
    const tree = this.#loadTree();
    await this.files.restore();
    if (this.#closed) return;
    this.#follow();
    if (wanted !== null) void this.files.open(wanted.path, wanted.place);
    else void tree.then((entry) => this.#showEntry(entry));
  }

  #showEntry(entry: string | null): void {
    if (entry !== null && !this.#closed && this.store.getState().tabs.length === 0) void this.files.open(entry);
  }

  #follow(): void {
    this.#stream = this.#parts.socket.stream('projects.stream', this.#id, {
      event: (event) => this.#heard(event),
      end: (error) => {
        if (error !== null) this.store.setState({ error });
        this.#parts.later.do('follow', FOLLOW_AGAIN_MS, FOLLOW_AGAIN_MS, async () => this.#follow());
      },
    });
  }

  /** Stops following; drafts are stored at once. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stream?.cancel();
    const kept = this.files.keepDrafts();
    this.#parts.later.close();
    await kept;
  }

  /** Checks everything again: other programs may have made unseen changes. */
  look(): void {
    this.#treeSoon(0);
    this.#checks.soon();
    void this.files.recheck();
  }

  #treeSoon(quietMs = TREE_QUIET_MS): void {
    this.#parts.later.do('tree', quietMs, TREE_MOST_MS, async () => void (await this.#loadTree()));
  }

  #heard(event: ProjectEvent): void {
    if ('state' in event) {
      this.#ran(event.state.run);
      this.store.setState({ watching: event.state.watching });
      this.look();
    } else if ('changed' in event) {
      this.#treeSoon();
      this.#checks.soon();
      void this.files.recheck(event.changed);
    } else if ('run' in event) this.#ran(event.run);
    else if ('lines' in event) this.#said(event.lines);
    else this.store.setState({ publish: event.publish });
  }

  #ran(run: ProjectRun | null): void {
    const { run: before, lines } = this.store.getState();
    const isNew = run !== null && run.run_id !== before?.run_id;
    this.store.setState({ run, lines: isNew ? [] : lines });
  }

  #said(lines: readonly RunLine[]): void {
    const before = this.store.getState().lines;
    const last = before.at(-1)?.seq ?? 0;
    const fresh = lines.filter(({ seq }) => seq > last);
    this.store.setState({ lines: [...before, ...fresh].slice(-LINES_SHOWN) });
  }

  /** Reads the tree; gives the file to show first, if there is one. */
  async #loadTree(): Promise<string | null> {
    try {
      const { entries, truncated, entry } = await this.#parts.socket.read('projects.tree', this.#id);
      this.store.setState({ entries, truncated, error: null });
      return entry;
    } catch (thrown) {
      this.store.setState({ error: toHostError(thrown) });
      return null;
    }
  }

  /** Notes what the server of a language does. */
  serverDoes(language: string, activity: ServerActivity): void {
    this.status.setState(({ servers }) => ({ servers: new Map(servers).set(language, activity) }));
  }

  /** Takes over the problems that the browser finds in the open texts. */
  marked(marks: readonly FileProblem[]): void {
    this.store.setState({ marks });
  }

  /** Makes a file or folder. Throws the errors of the host. */
  async create(path: string, kind: 'file' | 'folder'): Promise<void> {
    const { socket } = this.#parts;
    if (kind === 'folder') await socket.call('projects.create_folder', { ...this.#id, path });
    else {
      const parent = path.split('/').slice(0, -1).join('/');
      const isThere = parent === '' || this.store.getState().entries?.some((one) => one.path === parent);
      if (isThere !== true) await this.#ensureFolder(parent);
      await socket.call('projects.write', { ...this.#id, path, content: '', version: null });
      await this.files.open(path);
    }
    await this.#loadTree();
  }

  /** Makes a folder if it does not exist: not every folder is listed. */
  async #ensureFolder(path: string): Promise<void> {
    try {
      await this.#parts.socket.call('projects.create_folder', { ...this.#id, path });
    } catch (thrown) {
      if (toHostError(thrown).code !== 'NAME_TAKEN') throw thrown;
    }
  }

  /** Renames a file or folder; its open files stay open with their text. Throws the host's error. */
  async rename(from: string, to: string): Promise<void> {
    const unsaved = this.files.unsavedAt(to, from);
    if (unsaved !== null) throw stillOpen(unsaved);
    await this.files.settled(from);
    await this.#parts.socket.call('projects.rename', { ...this.#id, from, to });
    await this.files.moved(from, to);
    await this.#loadTree();
  }

  /** Removes a file or folder with its unsaved text; all of it can be restored. */
  async remove(path: string): Promise<void> {
    const { socket, voice } = this.#parts;
    try {
      if (!(await this.files.saveAll(path))) throw notSaved();
      const { kept } = await socket.call('projects.delete', { ...this.#id, path });
      await this.files.closeAll(path);
      voice.done(`${path} was removed`, () => {
        socket.call('projects.rename', { ...this.#id, from: kept, to: path }).then(
          () => this.#loadTree(),
          (thrown: unknown) => voice.failed(`${path} could not be restored`, thrown),
        );
      });
      await this.#loadTree();
    } catch (thrown) {
      voice.failed(`${path} was not removed`, thrown);
    }
  }

  /** Finds a text in the saved files. */
  search({ text, matchCase }: Wanted): Promise<Output<'projects.search'>> {
    return this.#parts.socket.read('projects.search', { ...this.#id, text, match_case: matchCase, limit: 500 });
  }

  /** Reads the differences from the highest published version. */
  changes(): Promise<Output<'projects.changes'>> {
    return this.#parts.socket.read('projects.changes', this.#id);
  }

  /** Reads a file of a published version; null: the version has no such file. Throws the errors of the host. */
  async publishedFile(version: string, path: string): Promise<ProjectFile | null> {
    try {
      return await this.#parts.socket.read('projects.published_file', { ...this.#id, version, path });
    } catch (thrown) {
      if (toHostError(thrown).code === 'FILE_NOT_FOUND') return null;
      throw thrown;
    }
  }

  /** Saves everything, because runs, publications and deployments use the disk. Throws if a file was not saved. */
  async saveForUse(): Promise<void> {
    if (!(await this.files.saveAll())) throw notSaved();
  }

  /** Saves everything and runs the project here. Throws the error that prevents the run. */
  async run(): Promise<void> {
    await this.saveForUse();
    // The state of the run comes with the events, in their order.
    await this.#parts.socket.call('projects.run', this.#id);
  }

  async stop(): Promise<void> {
    await this.#parts.socket.call('projects.stop', this.#id);
  }

  /** Saves everything and publishes the project. Throws the error that prevents the publication. */
  async publish(): Promise<Output<'projects.publish'>> {
    await this.saveForUse();
    try {
      return await this.#parts.socket.call('projects.publish', this.#id);
    } finally {
      this.store.setState({ publish: null });
    }
  }
}

function stillOpen(path: string): HostError {
  return new HostError({
    code: 'NAME_TAKEN',
    message: `${path} is open here with text that is not saved`,
    hint: 'Save it or close it first.',
    details: null,
    request_id: null,
  });
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
