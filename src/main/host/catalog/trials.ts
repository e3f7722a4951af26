import { type ChildProcess, spawn } from 'node:child_process';
import { cp, lstat, mkdtemp, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_RULES, type ErrorCode, invalid, PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { TrialReport, type TrialRequest } from '../../../contract/trial.ts';
import { removeTree } from '../../../node/remove-tree.ts';
import { checkInlineFiles, inTemporaryFolder } from '../../../packaging/inline-files.ts';
import { isJsonObject } from '../../../shared/json.ts';

/** Time for everything besides the requested seconds: the start of a host, queries, a stop with its grace. */
const AROUND_MS = 90_000;
/** Time to end a trial: it stops its bot with the usual grace, then its host, and removes their files. */
const END_MS = 45_000;
const MOST_TRIALS = 2;
const PREFIX = '.trial-';
const OUTPUT_CHARS = 1024 * 1024;
const ERROR_CHARS = 8000;
/** Exit codes of a trial that made every check (docs/cli.md). */
const CHECKED = new Set([0, 8, 9]);
/** Variables of the host's environment that programs need to start and to find a container engine; no secrets. */
const KEPT = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'SystemRoot', 'USERPROFILE', 'LOCALAPPDATA', 'APPDATA'],
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_CERT_PATH', 'DOCKER_TLS_VERIFY', 'XDG_RUNTIME_DIR'],
  ...['ELECTRON_RUN_AS_NODE', 'PLATFORM_HOST_IDENTITY'],
];

export interface TrialsDeps {
  /** Data folder of the host, in which trials have their folders: a container engine surely sees it. */
  readonly dataDir: string;
  /** Command that starts the command line. */
  readonly command: readonly string[];
  /** The engine that a new bot gets now. Throws where it may not run: ENGINE_UNAVAILABLE, ISOLATION_REQUIRED. */
  readonly engine: () => Promise<string>;
  /** Settings of the engines, as in settings.json. */
  readonly engineSettings: () => Readonly<Record<string, unknown>>;
  /** The code of a published version. Throws CUSTOM_BOT_NOT_FOUND. */
  readonly codeDir: (userId: string, name: string, version: string | undefined) => string;
  /** Folders of the host that no report names. */
  readonly hidden: readonly string[];
  readonly onError: (where: string, error: unknown) => void;
}

/** Removes the remains of trials of a killed host. Must be called only while no trial runs. */
export async function sweepTrials(dataDir: string): Promise<void> {
  const left = (await readdir(dataDir)).filter((name) => name.startsWith(PREFIX));
  for (const name of left) await removeTree(join(dataDir, name));
}

function environment(root: string): Record<string, string> {
  const kept = KEPT.flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const own = { TMPDIR: root, TEMP: root, TMP: root, PLATFORM_DATA_DIR: join(root, 'none'), PLATFORM_CONFIG_DIR: root };
  return { ...Object.fromEntries(kept), ...own };
}

/** Copies published code, so that its programs cannot change anything that is published. */
async function copyOf(codeDir: string, to: string): Promise<string> {
  await cp(codeDir, to, { recursive: true, filter: async (path) => !(await lstat(path)).isSymbolicLink() });
  return to;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Waits for the end of the command, and asks it to end once `signal` is aborted. */
async function endOf(child: ChildProcess, signal: AbortSignal): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(0, OUTPUT_CHARS);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-ERROR_CHARS);
  });
  let force: NodeJS.Timeout | undefined;
  const stop = (): void => {
    // Windows has no signal for this.
    if (process.platform !== 'win32') child.kill('SIGTERM');
    else if (child.connected) child.disconnect();
    force = setTimeout(() => child.kill('SIGKILL'), END_MS);
  };
  const over = Promise.withResolvers<number | null>();
  child.once('error', over.reject);
  child.once('close', over.resolve);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return { code: await over.promise, stdout, stderr };
  } finally {
    clearTimeout(force);
    signal.removeEventListener('abort', stop);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Returns the refusal in the error output of the command; null for any other text. */
function refusal(stderr: string): PlatformError | null {
  const told = parsed(stderr.trim().split('\n').at(-1) ?? '');
  const error = isJsonObject(told) ? told.error : null;
  if (!isJsonObject(error) || typeof error.code !== 'string' || !Object.hasOwn(ERROR_RULES, error.code)) return null;
  const hint = typeof error.hint === 'string' ? error.hint : undefined;
  return new PlatformError(error.code as ErrorCode, String(error.message), { hint, details: error.details });
}

/**
 * Tries custom bots as `platform custom-bot verify` does, by that command: a host of its own, on a folder that is removed
 * afterwards, runs the code with the engine that a new bot would get here. So a trial touches no bot, no custom bot and no
 * state of anybody, and its programs get no secret.
 */
export class Trials {
  readonly #deps: TrialsDeps;
  readonly #closing = new AbortController();
  /** Trials by their user. */
  readonly #going = new Map<string, Promise<unknown>>();

  constructor(deps: TrialsDeps) {
    this.#deps = deps;
  }

  /** Tries code until `signal` is aborted. Throws RATE_LIMITED where too many other trials run. */
  async run(userId: string, request: TrialRequest, signal: AbortSignal): Promise<TrialReport> {
    const { files, name, version } = request;
    if ((files === undefined) === (name === undefined)) {
      const hint = 'Give files, or name with or without version.';
      throw invalid('INVALID_REQUEST', [{ path: '', message: 'needs either files or name', hint }]);
    }
    if (files !== undefined) checkInlineFiles(files);
    const codeDir = name === undefined ? null : this.#deps.codeDir(userId, name, version);
    const engine = await this.#deps.engine();
    this.#closing.signal.throwIfAborted();
    if (this.#going.has(userId) || this.#going.size >= MOST_TRIALS) {
      throw new PlatformError('RATE_LIMITED', 'Another trial goes on', {
        hint: 'Wait until it has ended: each takes the memory of a host.',
        retryAfter: 10,
      });
    }
    const work = this.#tried(request, codeDir, engine, signal);
    this.#going.set(
      userId,
      work.catch(() => undefined),
    );
    try {
      return await work;
    } finally {
      this.#going.delete(userId);
    }
  }

  /** Ends all trials; resolves when nothing of them remains. */
  async close(): Promise<void> {
    this.#closing.abort(
      new PlatformError('HOST_UNREACHABLE', 'The host is being stopped', { hint: 'Start it again.' }),
    );
    await Promise.all(this.#going.values());
  }

  async #tried(request: TrialRequest, codeDir: string | null, engine: string, asked: AbortSignal) {
    const root = await realpath(await mkdtemp(join(this.#deps.dataDir, PREFIX)));
    try {
      const use = (dir: string) => this.#command(root, dir, request, engine, asked);
      const { files } = request;
      return await (files === undefined
        ? use(await copyOf(codeDir ?? '', join(root, 'bot')))
        : inTemporaryFolder(files, use));
    } finally {
      await removeTree(root);
    }
  }

  async #command(root: string, dir: string, request: TrialRequest, engine: string, asked: AbortSignal) {
    const { config, query, seconds = LIMITS.trialSec } = request;
    const [settings, instance] = [join(root, 'trial-settings.json'), join(root, 'trial-instance.json')];
    await writeFile(settings, JSON.stringify({ ...this.#deps.engineSettings(), engine }), { mode: 0o600 });
    if (config !== undefined) await writeFile(instance, JSON.stringify({ config }), { mode: 0o600 });
    const [program = '', ...start] = this.#deps.command;
    const flags = ['--json', '--no-vendor', '--settings', settings, '--seconds', String(seconds)];
    const more = [
      ...(config === undefined ? [] : ['--config', instance]),
      ...(query === undefined ? [] : ['--query', query]),
    ];
    const child = spawn(program, [...start, 'custom-bot', 'verify', dir, ...flags, ...more], {
      cwd: root,
      env: environment(root),
      // The closed channel tells the program that this host is gone.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      windowsHide: true,
    });
    const late = AbortSignal.timeout(seconds * 1000 + AROUND_MS);
    const signal = AbortSignal.any([asked, this.#closing.signal, late]);
    const ended = await endOf(child, signal);
    if (signal.aborted) throw this.#cutShort(signal, late);
    return this.#report(ended, engine, [root, dir]);
  }

  #cutShort({ reason }: AbortSignal, late: AbortSignal): PlatformError {
    if (reason instanceof PlatformError) return reason;
    const why = late.aborted ? 'The trial took too long' : 'The trial was given up';
    return new PlatformError('QUERY_TIMEOUT', why, { hint: 'Try with fewer seconds.' });
  }

  /** The report without folders of this machine. */
  #report({ code, stdout, stderr }: Ended, engine: string, folders: readonly string[]): TrialReport {
    const hide = (text: string): string =>
      [...folders, ...this.#deps.hidden].reduce((left, folder) => left.replaceAll(folder, '…'), text);
    const told = CHECKED.has(code ?? -1) ? parsed(hide(stdout)) : null;
    const read = TrialReport.safeParse(isJsonObject(told) ? { ...told, engine } : null);
    if (read.success) return read.data;
    const refused = refusal(hide(stderr));
    if (refused !== null) throw refused;
    this.#deps.onError('a trial', new Error(`it ended with exit code ${code}: ${stderr}`));
    throw new PlatformError('INTERNAL');
  }
}
