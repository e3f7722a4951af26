import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { toTimestamp } from '../../../contract/common.ts';
import type { CustomBotVersion, FileProblem, NamedInterpreter } from '../../../contract/custom-bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type {
  Project,
  ProjectChange,
  ProjectCheck,
  ProjectEvent,
  ProjectInstance,
  ProjectRun,
  RunLine,
  Template,
} from '../../../contract/project.ts';
import { hostIdOf } from '../../../node/host-id.ts';
import { endOrphans } from '../../../node/process-tree.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { type PackProgress, packFolder } from '../../../packaging/pack.ts';
import { WORK_FOLDER } from '../../../packaging/project-files.ts';
import { vendorDependencies } from '../../../packaging/vendor.ts';
import { createProject } from '../../../project/create-project.ts';
import { effectiveConfig, INSTANCE_FILE } from '../../../project/instance-check.ts';
import { ProgramSyntax } from '../../../project/program-syntax.ts';
import { type Project as BotProject, readProjectFiles, usableProject } from '../../../project/read-project.ts';
import type { ProjectRow, ProjectStore } from '../control/project-store.ts';
import { checkProject, type Edited, overlaidSource } from './check.ts';
import { compareWithPublished } from './compare-with-published.ts';
import { ConfinedFolder, type ReadFile } from './confined.ts';
import { copyVersion } from './copy-version.ts';
import { withRights } from './file-access-error.ts';
import { describeInstance, readInstance } from './instance-file.ts';
import { checkAllowed, creatableFolder, openableFolder, type ProjectSetting } from './openable.ts';
import { LocalRun } from './run.ts';
import { discard, emptyTrash } from './trash.ts';
import { FolderWatch } from './watch.ts';

/** Environment variable that marks a run as one of a host. */
const MARK = 'PLATFORM_DEV_HOST';

/** Words that an error uses where the failing file is unknown. */
const ANY_FILE = 'a file of the project';

/** Functions of the catalogue that projects need. */
export interface PublishedVersions {
  publish(
    userId: string,
    source: Readable,
  ): Promise<{ readonly record: CustomBotVersion; readonly created: boolean; readonly warnings: FileProblem[] }>;
  /** Versions of a custom bot, highest first; empty when it is not published. */
  versions(userId: string, name: string): readonly string[];
  /** Folder of the code of a version. Throws CUSTOM_BOT_NOT_FOUND. */
  codeDir(userId: string, name: string, version: string): string;
}

export interface ProjectsOptions {
  readonly store: ProjectStore;
  readonly published: PublishedVersions;
  readonly dataDir: string;
  readonly resourcesDir: string;
  readonly setting: ProjectSetting;
  /** True if other machines can reach this host. */
  readonly reachable: boolean;
  /** Both throw ISOLATION_REQUIRED on a host that runs no program without isolation. */
  readonly checkRun: () => void;
  readonly checkInstall: () => void;
  /** The file of an interpreter that a project names. Throws INTERPRETER_NOT_ALLOWED or INTERPRETER_UNUSABLE. */
  readonly interpreter: (command: NamedInterpreter) => Promise<string>;
  readonly newId: () => string;
  readonly newRunId: () => string;
  readonly now: () => number;
  readonly report: (where: string, error: unknown) => void;
}

/** Receives the events of an open project; `seq` is the position to read on after. */
export type Listener = (event: ProjectEvent, seq: number) => void;

/** An open project: its watch while a page follows it, and its run. */
interface Open {
  readonly listeners: Set<Listener>;
  watch: FolderWatch | null;
  run: LocalRun | null;
  publishing: boolean;
}

function stateOf({ run, watch }: Open): Extract<ProjectEvent, { state: unknown }>['state'] {
  return { run: run?.describe() ?? null, watching: watch?.complete ?? false };
}

/** The projects that users have opened on this machine. */
export class Projects {
  readonly #options: ProjectsOptions;
  readonly #open = new Map<string, Open>();
  readonly #hostId: string;
  readonly #syntax = new ProgramSyntax();

  constructor(options: ProjectsOptions) {
    this.#options = options;
    this.#hostId = hostIdOf(options.dataDir);
  }

  /** Ends the runs that a killed host of this data folder left: no page shows or stops them any more. */
  async endLeft(): Promise<void> {
    await endOrphans(MARK, (hostId) => hostId === this.#hostId);
  }

  /** Throws FORBIDDEN on a host that opens no folders. */
  #checkAllowed(): void {
    checkAllowed(this.#options.setting, this.#options.reachable);
  }

  async #describe(row: ProjectRow): Promise<Project> {
    return {
      project_id: row.project_id,
      name: basename(row.dir),
      dir: row.dir,
      opened_at: toTimestamp(row.opened_at),
      present: await isFolder(row.dir),
    };
  }

  list(userId: string): Promise<Project[]> {
    this.#checkAllowed();
    return Promise.all(this.#options.store.list(userId).map((row) => this.#describe(row)));
  }

  async open(userId: string, dir: string): Promise<Project> {
    this.#checkAllowed();
    return this.#remember(userId, await openableFolder(dir, this.#options.dataDir));
  }

  #remember(userId: string, dir: string): Promise<Project> {
    const { store, newId, now } = this.#options;
    return this.#describe(store.opened({ project_id: newId(), user_id: userId, dir, opened_at: now() }));
  }

  async create(userId: string, dir: string, template: Template, name: string | undefined): Promise<Project> {
    this.#checkAllowed();
    const real = await creatableFolder(dir, this.#options.dataDir);
    const nameHint = 'Give it a name of 3 to 50 of a-z 0-9 and "-".';
    await withRights(real, async () =>
      createProject({ dir: real, template, name, resourcesDir: this.#options.resourcesDir, nameHint }),
    );
    return this.#remember(userId, real);
  }

  /** Copies a published version into a new or empty folder, and opens it. Throws CUSTOM_BOT_NOT_FOUND, INVALID_REQUEST. */
  async copyOf(userId: string, dir: string, name: string, version: string): Promise<Project> {
    this.#checkAllowed();
    const codeDir = this.#options.published.codeDir(userId, name, version);
    const real = await creatableFolder(dir, this.#options.dataDir);
    await withRights(real, () => copyVersion(codeDir, real));
    return this.#remember(userId, real);
  }

  async forget(userId: string, projectId: string): Promise<void> {
    this.#row(userId, projectId);
    await this.#open.get(projectId)?.run?.stop();
    this.#options.store.remove(userId, projectId);
  }

  /**
   * Returns the name of a project's folder, even if the folder is gone; null for a project that is not on the user's
   * list.
   */
  nameOf(userId: string, projectId: string): string | null {
    const row = this.#options.store.get(userId, projectId);
    return row === null ? null : basename(row.dir);
  }

  #row(userId: string, projectId: string): ProjectRow {
    this.#checkAllowed();
    const row = this.#options.store.get(userId, projectId);
    if (row === null) throw new PlatformError('PROJECT_NOT_FOUND');
    return row;
  }

  /** Returns the folder of a user's project. Throws PROJECT_NOT_FOUND, also when the folder is gone or was replaced. */
  async folder(userId: string, projectId: string): Promise<ConfinedFolder> {
    const { dir } = this.#row(userId, projectId);
    try {
      // Checked again each time: a link may have replaced the folder.
      if ((await openableFolder(dir, this.#options.dataDir)) === dir) return new ConfinedFolder(dir);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
    throw new PlatformError('PROJECT_NOT_FOUND', `${dir} is not there any more, or is another folder now`);
  }

  /** Runs work on a path of a project. */
  async at<T>(userId: string, projectId: string, path: string, work: (f: ConfinedFolder) => Promise<T>): Promise<T> {
    const folder = await this.folder(userId, projectId);
    return withRights(path, () => work(folder));
  }

  /** Moves a file or folder of the project aside and returns the path under which it is kept. */
  discard(userId: string, projectId: string, path: string): Promise<string> {
    return this.at(userId, projectId, path, (folder) => discard(folder, path, this.#options.now()));
  }

  #opened(projectId: string): Open {
    const known = this.#open.get(projectId);
    if (known !== undefined) return known;
    const made: Open = { listeners: new Set(), watch: null, run: null, publishing: false };
    this.#open.set(projectId, made);
    return made;
  }

  #tell(projectId: string, event: ProjectEvent): void {
    const open = this.#open.get(projectId);
    if (open === undefined) return;
    const seq = open.run?.lastSeq ?? 0;
    for (const listener of open.listeners) listener(event, 'lines' in event ? (event.lines.at(-1)?.seq ?? seq) : seq);
  }

  /** Follows a project; lines of its run after `after` come first. Resolves to a function that ends this. */
  async follow(userId: string, projectId: string, after: number, listener: Listener): Promise<() => void> {
    const folder = await this.folder(userId, projectId);
    const open = this.#opened(projectId);
    if (open.watch === null) {
      this.#options.store.opened({ ...this.#row(userId, projectId), opened_at: this.#options.now() });
      emptyTrash(folder, this.#options.now()).catch((error) =>
        this.#options.report('emptying the trash of a project', error),
      );
    }
    // Another client may have left as the last one meanwhile, which ended the watch.
    while (open.watch === null) await this.#watch(open, projectId, folder.root);
    const { run } = open;
    listener({ state: stateOf(open) }, after);
    const missed = run?.linesAfter(after) ?? [];
    const last = missed.at(-1);
    if (run !== null && last !== undefined) listener({ lines: missed, run_id: run.id }, last.seq);
    open.listeners.add(listener);
    return () => {
      open.listeners.delete(listener);
      if (open.listeners.size > 0) return;
      open.watch?.close();
      open.watch = null;
    };
  }

  async #watch(open: Open, projectId: string, root: string): Promise<void> {
    const report = (error: unknown): void => this.#options.report('watching a project', error);
    const tell = (changed: string[] | null): void =>
      this.#tell(projectId, changed === null ? { state: stateOf(open) } : { changed });
    const watch = new FolderWatch(root, tell, report);
    open.watch = watch;
    try {
      await watch.start();
    } catch (error) {
      watch.close();
      if (open.watch === watch) open.watch = null;
      throw error;
    }
  }

  async #usable(folder: ConfinedFolder): Promise<BotProject> {
    const reading = await withRights(ANY_FILE, () => readProjectFiles(overlaidSource(folder, [])));
    if (reading === null) {
      const hint = 'Make one: it says what the bot is called and which program it runs.';
      throw new PlatformError('INVALID_PACKAGE', 'The project has no bot-config.yaml', { hint });
    }
    return usableProject(reading);
  }

  /** Returns every problem of the project in its state in an editor. */
  async check(userId: string, projectId: string, edited: Edited): Promise<ProjectCheck> {
    const folder = await this.folder(userId, projectId);
    return withRights(ANY_FILE, () => checkProject(folder, edited, this.#syntax));
  }

  /**
   * Returns the content of the saved instance.json; null when there is none. Throws INVALID_CONFIG when it is
   * unreadable.
   */
  async instance(userId: string, projectId: string): Promise<ProjectInstance | null> {
    const folder = await this.folder(userId, projectId);
    if (!(await folder.exists(INSTANCE_FILE))) return null;
    return withRights(INSTANCE_FILE, () => describeInstance(folder));
  }

  /** Starts the saved project with the config of its instance.json. */
  async run(userId: string, projectId: string): Promise<ProjectRun> {
    this.#options.checkRun();
    const folder = await this.folder(userId, projectId);
    const project = await this.#usable(folder);
    const config = effectiveConfig(project, await withRights(INSTANCE_FILE, () => readInstance(folder)));
    const { resourcesDir, newRunId, now } = this.#options;
    const workDir = join(folder.root, WORK_FOLDER);
    // The folder is made here, where a link in its place is refused, because the program writes into it.
    await folder.ensureFolder(`${WORK_FOLDER}/state`);
    const { command } = project.config;
    const named = command === undefined ? {} : { interpreter: await this.#options.interpreter(command) };
    const programs = { runnersDir: join(resourcesDir, 'runners'), node: process.execPath, ...named };
    const dev = { project, config, workDir, ...programs };
    const events = {
      changed: (run: ProjectRun): void => this.#tell(projectId, { run }),
      lines: (lines: RunLine[], run_id: string): void => this.#tell(projectId, { lines, run_id }),
      failed: (error: unknown): void => this.#options.report('ending what a project has started', error),
    };
    // Checked last: nothing is awaited between this and the start, so that two runs cannot start at once.
    const open = this.#opened(projectId);
    if (open.run !== null && !open.run.isOver) {
      throw new PlatformError('BOT_RUNNING', 'The project runs here already', { hint: 'Stop it first.' });
    }
    const firstSeq = open.run?.lastSeq ?? now();
    const run = new LocalRun(newRunId(), { ...dev, env: process.env }, { [MARK]: this.#hostId }, events, now, firstSeq);
    run.start();
    open.run = run;
    const described = run.describe();
    this.#tell(projectId, { run: described });
    return described;
  }

  /** Asks the run of a project to stop. Throws BOT_NOT_RUNNING. */
  stop(userId: string, projectId: string): void {
    this.#row(userId, projectId);
    const run = this.#open.get(projectId)?.run ?? null;
    if (run === null || run.isOver) throw new PlatformError('BOT_NOT_RUNNING', 'The project does not run here');
    run.stop().catch((error: unknown) => this.#options.report('stopping a project', error));
  }

  /** Checks, vendors, packs and publishes the saved project, and reports progress. */
  async publish(userId: string, projectId: string) {
    const folder = await this.folder(userId, projectId);
    const open = this.#opened(projectId);
    if (open.publishing) throw new PlatformError('BOT_RUNNING', 'The project is being published already');
    open.publishing = true;
    const tell = (text: string, fraction: number | null): void =>
      this.#tell(projectId, { publish: { text, fraction } });
    try {
      tell('Checking', null);
      const project = await this.#usable(folder);
      // Throws for a link: vendoring creates and removes folders here.
      await folder.exists(`${WORK_FOLDER}/any`);
      const onLine = (line: string): void => tell(`Dependencies: ${line.slice(0, 200)}`, null);
      let told = 0;
      const onProgress = ({ bytes, totalBytes, files, totalFiles }: PackProgress): void => {
        const fraction = bytes / Math.max(1, totalBytes);
        if (fraction < told + 0.05 && files < totalFiles) return;
        told = fraction;
        tell(`Packing ${files} of ${totalFiles} files`, fraction);
      };
      const published = await withRights(ANY_FILE, async () => {
        const { overlays } = await vendorDependencies(folder.root, project.runtime, {
          onLine,
          mayInstall: this.#options.checkInstall,
        });
        const packed = await packFolder(folder.root, { keep: project.named, overlays, onProgress });
        return this.#options.published.publish(userId, packed.stream);
      });
      return { custom_bot: published.record, created: published.created, warnings: published.warnings };
    } finally {
      open.publishing = false;
    }
  }

  /** Returns the differences between the project and its highest published version; `version` null: none is published. */
  async changes(
    userId: string,
    projectId: string,
  ): Promise<{ name: string; version: string | null; items: ProjectChange[] }> {
    const folder = await this.folder(userId, projectId);
    const project = await this.#usable(folder);
    const { name } = project.config;
    const [version = null] = this.#options.published.versions(userId, name);
    if (version === null) return { name, version, items: [] };
    const codeDir = this.#options.published.codeDir(userId, name, version);
    const items = await withRights(ANY_FILE, () => compareWithPublished(folder.root, project.named, codeDir));
    return { name, version, items };
  }

  /** Returns a file of a published version of the project. */
  async publishedFile(userId: string, projectId: string, version: string, path: string): Promise<ReadFile> {
    const folder = await this.folder(userId, projectId);
    const { config } = await this.#usable(folder);
    return new ConfinedFolder(this.#options.published.codeDir(userId, config.name, version)).read(path);
  }

  /** Ends all runs and watches. */
  async close(): Promise<void> {
    const opened = [...this.#open.values()];
    this.#open.clear();
    for (const { watch } of opened) watch?.close();
    await Promise.all(opened.map(({ run }) => run?.stop()));
  }
}

async function isFolder(dir: string): Promise<boolean> {
  try {
    return (await stat(dir)).isDirectory();
  } catch (error) {
    if (systemErrorCode(error) !== null) return false;
    throw error;
  }
}
