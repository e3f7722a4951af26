import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Refusal } from '../../../gate/bot-gate.ts';
import { HOST_ID, identityOf } from '../../../gate/identity.ts';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import { settlesWithin } from '../../../node/bounded-wait.ts';
import { isAlive } from '../../../node/process-identity.ts';
import { errorText, systemErrorCode } from '../../../node/system-error.ts';
import { textOfFile } from './text-of-file.ts';

/** What a gate has written about itself. */
const Found = z.object({
  pid: z.number(),
  started: z.string(),
  boot: z.string(),
  port: z.number(),
  version: z.string(),
  folder: z.string(),
});
type Found = z.infer<typeof Found>;

const Told = z.object({ bot_id: z.string(), host: z.string(), port: z.number(), why: z.string(), at: z.number() });
const Message = z.object({ stranger: z.literal(true).optional(), refused: Told.optional(), failed: Told.optional() });

/** What a gate says of its start. */
const Start = z.union([
  z.object({ ready: z.literal(true), port: z.number(), unrecorded: z.string().optional() }),
  z.object({ ready: z.literal(false), error: z.string(), code: z.string().nullable() }),
]);

/** Another program has the port of the gate. */
class PortTaken extends Error {}
const TAKEN = new Set<string | null>(['EADDRINUSE', 'EACCES']);

/** Where a start has failed, in the words of the host's log. */
const AGAIN = 'the gate, which is tried again';

/** The gate that was found is of no use to this host. */
class Useless extends Error {}

/** Pause before a gate that could not be started is tried again, for the first attempts; it doubles with each one that follows. */
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** So many attempts in a row fail before it counts as gone: a machine that is short of something for a moment is no alarm. */
const ATTEMPTS = 5;
/** How long a gate that was found has to answer, and to leave its port. */
const ANSWER_MS = 30_000;
/** How long a new gate has to say that it is ready, and to answer. */
const START_MS = 30_000;
/** How long the start of a program waits for the gate. What asks while it still has not answered then does not wait at all. */
const PATIENCE_MS = 10_000;
/** How long a host that ends waits for a gate that is about to answer. */
const CLOSE_MS = 5000;

/** Pause before the next attempt, after so many in a row have failed. */
export function retryMs(failures: number): number {
  const doublings = Math.max(0, failures - ATTEMPTS);
  return Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(20, doublings));
}

export interface GateProcessDeps {
  /** Folder of the gate in the data folder. */
  readonly dir: string;
  /** Identity of the data folder: the gate of the folder of which it is a copy is none of its own. */
  readonly folder: string;
  readonly hostKey: string;
  readonly version: string;
  /** Called once for each fault that lasts, and again when it has changed. */
  readonly onError: (where: string, error: unknown) => void;
  readonly refused: (refusal: Refusal) => void;
  /** A connection of a sandboxed program could not be made, although it may. */
  readonly failed: (failure: Refusal) => void;
  /** The gate runs at this port. `why` it had to leave the port where programs look for it; null where it did not have to. */
  readonly at: (port: number, why: string | null) => void;
  /** It has ended and cannot be started, as several attempts have shown; it is tried again. */
  readonly gone: (error: unknown) => void;
  /** It runs again, after so many attempts of which `onError` was told. */
  readonly back: (failures: number) => void;
  /** Instead of ANSWER_MS, for tests. */
  readonly answerMs?: number;
  /** Instead of START_MS, for tests. */
  readonly startMs?: number;
  /** Instead of PATIENCE_MS, for tests. */
  readonly patienceMs?: number;
}

/** A start of the gate that goes on. */
interface Starting {
  readonly done: Promise<number>;
  /** As `done`; rejects where that takes longer than a program waits for it. */
  readonly inTime: Promise<number>;
}

/** What could be done in time; rejects with a text for people where it takes longer. */
async function inTime(ms: number, done: Promise<number>): Promise<number> {
  if (await settlesWithin(ms, done)) return done;
  throw new Error(`it has not answered in ${ms} ms, and is waited for in the background`);
}

/** The program of the gate: the source beside the host's, or the file of the build. */
function program(): string {
  if (import.meta.url.endsWith('.ts')) return fileURLToPath(new URL('../../egress-gate.ts', import.meta.url));
  const places = ['./egress-gate.js', '../egress-gate.js'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error('egress-gate.js is missing: install again, or run `npm run build`');
  return found;
}

/** What a line says; undefined where it is none that a gate writes. */
function parsed<T>(schema: z.ZodType<T>, line: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Asks a process to end. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error;
  }
}

/**
 * The gate of this host: a process that outlives it, so that programs which a host leaves behind keep their way out. It is started
 * with the first bot that needs it, taken over by the next host, and started again at once when it dies.
 */
export class GateProcess {
  readonly #deps: GateProcessDeps;
  #key: Buffer;
  #link: { readonly socket: Socket; readonly port: number } | null = null;
  #starting: Starting | null = null;
  #isClosed = false;
  /** Aborted where a host that ends gives up an attempt. */
  readonly #ending = new AbortController();
  #retry: NodeJS.Timeout | null = null;
  /** Attempts to start it that have failed since it was there. */
  #failures = 0;
  /** What was told of a fault since then, by where it was. */
  readonly #told = new Map<string, string>();
  #foundPort: number | null | undefined;

  constructor(deps: GateProcessDeps) {
    this.#deps = deps;
    this.#key = this.#keyOf(textOfFile(join(deps.dir, 'generation')) ?? '');
  }

  /**
   * What the passes of bots and the word of the host to the gate are made from. It belongs to one data folder, and changes when
   * the gate has to leave its port.
   */
  get key(): Buffer {
    return this.#key;
  }

  /** Port of the gate that an earlier host has left, or had; null where it is not known. */
  get foundPort(): number | null {
    return this.#foundPort ?? null;
  }

  get #answerMs(): number {
    return this.#deps.answerMs ?? ANSWER_MS;
  }

  get #startMs(): number {
    return this.#deps.startMs ?? START_MS;
  }

  #keyOf(generation: string): Buffer {
    const { hostKey, folder } = this.#deps;
    return createHmac('sha256', hostKey).update(`gate ${folder} ${generation}`).digest();
  }

  /** Makes the passes of before worthless. */
  async #renewKey(): Promise<void> {
    const generation = randomBytes(16).toString('hex');
    await writeFileAtomic(join(this.#deps.dir, 'generation'), generation);
    this.#key = this.#keyOf(generation);
    await this.#storeKey();
  }

  /** A key that stands there already is not written again: a full disk must not keep the gate from its return. */
  async #storeKey(): Promise<void> {
    const file = join(this.#deps.dir, 'key');
    if (textOfFile(file, 'latin1') !== this.#key.toString('latin1')) await writeFileAtomic(file, this.#key);
  }

  /**
   * The port of the running gate, which is started if there is none. Rejects where it cannot be, and where that takes long: the
   * attempt goes on, and until it is over all others that ask are rejected at once.
   */
  port(): Promise<number> {
    return this.#link === null ? this.#begun().inTime : Promise.resolve(this.#link.port);
  }

  /** The attempt that goes on, or a new one. */
  #begun(): Starting {
    if (this.#starting !== null) return this.#starting;
    const done = this.#start().finally(() => {
      this.#starting = null;
    });
    const starting = { done, inTime: inTime(this.#deps.patienceMs ?? PATIENCE_MS, done) };
    // Whoever waits for one of them hears of a failure; nobody may wait for the other.
    for (const promise of [starting.done, starting.inTime]) promise.catch(() => undefined);
    this.#starting = starting;
    return starting;
  }

  /** Tries once, for as long as an attempt may take; a failure is told, and tried again later. */
  async #try(): Promise<void> {
    try {
      if (this.#link === null) await this.#begun().done;
    } catch (error) {
      this.#failed(error);
    }
  }

  /**
   * Takes over a gate that an earlier host left running. Where there is none, one is started if programs run that look for it, and
   * tried again until it is there. May take as long as a gate has to answer: nothing that protects a bot waits for it.
   */
  async takeOver({ isNeeded }: { readonly isNeeded: boolean }): Promise<void> {
    const found = isNeeded ? null : this.#found();
    if (!isNeeded && (found === null || !(await isAlive(found)))) return;
    await this.#try();
  }

  /** Ends the gate, unless bots go on without a host. An attempt that does not succeed soon is given up. */
  async close(options: { readonly leave: boolean }): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    const over = this.#starting?.done.catch(() => undefined) ?? Promise.resolve();
    if (!(await settlesWithin(CLOSE_MS, over))) this.#ending.abort();
    await over;
    const socket = this.#link?.socket;
    if (socket === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.once('close', () => resolve());
    if (options.leave) socket.destroy();
    else socket.write('end\n');
    await promise;
  }

  /** The gate of this folder, as it has written of itself; null where another folder's stands there, too. */
  #found(): Found | null {
    const text = textOfFile(join(this.#deps.dir, 'process.json'));
    if (text === null) return null;
    const found = parsed(Found, text);
    return found?.folder === this.#deps.folder ? found : null;
  }

  async #start(): Promise<number> {
    const { dir, version } = this.#deps;
    if (this.#isClosed) throw new Error('the host ends');
    for (const folder of ['policies', 'contacts', 'names'])
      mkdirSync(join(dir, folder), { recursive: true, mode: 0o700 });
    await this.#storeKey();
    const found = this.#found();
    if (this.#foundPort === undefined) this.#foundPort = found?.port ?? null;
    const isThere = found !== null && (await isAlive(found));
    try {
      if (isThere) {
        const socket = await this.#joinFound(found.port);
        if (socket !== null && found.version === version) return this.#linked(socket, found.port);
        if (socket !== null) await this.#drained(socket);
      }
      const { socket, port } = await this.#made(found?.port ?? 0);
      return this.#linked(socket, port);
    } catch (error) {
      if (!(error instanceof PortTaken || error instanceof Useless)) throw error;
      // Whoever has the port now hears the passes of programs that run.
      await this.#renewKey();
      this.#tell(`the gate on its port ${found?.port}; programs that run must be started again to reach it`, error);
      const { socket, port } = await this.#made(0);
      // What it has in hand are programs that have no gate any more.
      if (error instanceof Useless && isThere) endProcess(found.pid);
      return this.#linked(socket, port, errorText(error));
    }
  }

  /** A new gate that has answered. Rejects with PortTaken where it finds the port taken; one that does not answer is ended. */
  async #made(at: number): Promise<{ readonly socket: Socket; readonly port: number }> {
    const { child, port } = await this.#spawn(at);
    try {
      return { socket: await this.#join(port, this.#startMs), port };
    } catch (error) {
      child.kill('SIGKILL');
      // Another one would do no better: no reason to leave the port.
      throw error instanceof Useless ? new Error(`the new gate: ${error.message}`, { cause: error }) : error;
    }
  }

  /** Calls `giveUp` when work takes longer than `ms`, or the host that waits for it ends; `late` says the former. */
  #bounded<T>(ms: number, late: string, work: Promise<T>, giveUp: (error: Error) => void): Promise<T> {
    const { signal } = this.#ending;
    const ended = (): void => giveUp(new Error('the host ends'));
    const term = setTimeout(() => giveUp(new Useless(`${late} in ${ms} ms`)), ms);
    signal.addEventListener('abort', ended, { once: true });
    if (signal.aborted) ended();
    return work.finally(() => {
      clearTimeout(term);
      signal.removeEventListener('abort', ended);
    });
  }

  /** As `#join`; null where the gate that was found has left its port already, to end with its last connection. */
  async #joinFound(port: number): Promise<Socket | null> {
    try {
      return await this.#join(port, this.#answerMs);
    } catch (error) {
      if (systemErrorCode(error) === 'ECONNREFUSED') return null;
      throw error;
    }
  }

  /** Has a gate leave its port. It ends with its last connection. */
  async #drained(socket: Socket): Promise<void> {
    const { promise: left, resolve, reject } = Promise.withResolvers<void>();
    // It hangs up on its host after it has left the port.
    socket.once('close', () => resolve());
    socket.end('drain\n');
    const giveUp = (error: Error): void => {
      reject(error);
      socket.destroy();
    };
    await this.#bounded(this.#answerMs, 'the gate of another version does not leave it', left, giveUp);
  }

  /** Starts a gate, which has said that it is ready. One that says nothing is ended. */
  async #spawn(port: number): Promise<{ readonly child: ChildProcess; readonly port: number }> {
    const { dir, version, folder } = this.#deps;
    const log = openSync(join(dir, 'gate.log'), 'a', 0o600);
    const env = { PATH: process.env.PATH ?? '', UV_THREADPOOL_SIZE: '16' };
    const flags = ['--max-semi-space-size=2', '--max-old-space-size=256'];
    try {
      const args = [...flags, program(), dir, String(port), version, folder];
      const options = { detached: true, env, windowsHide: true };
      const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', log] });
      const { stdout } = child;
      if (stdout === null) throw new Error('the gate has no output');
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`the gate ended before it was ready (${signal ?? code})`)));
      const lines = createInterface({ input: stdout });
      lines.on('error', reject);
      lines.once('line', (line) => {
        const told = parsed(Start, line);
        if (told === undefined) reject(new Error(line));
        else if (!told.ready) reject(TAKEN.has(told.code) ? new PortTaken(told.error) : new Error(told.error));
        else {
          if (told.unrecorded !== undefined)
            this.#tell('process.json of the gate, which goes on without it', new Error(told.unrecorded));
          resolve(told.port);
        }
      });
      const giveUp = ({ message }: Error): void => {
        child.kill('SIGKILL');
        reject(new Error(message));
      };
      const said = this.#bounded(this.#startMs, 'the new gate has not said that it is ready', promise, giveUp);
      const at = await said.finally(() => {
        stdout.destroy();
        child.unref();
      });
      return { child, port: at };
    } finally {
      closeSync(log);
    }
  }

  /** Connects as the host. Rejects with Useless where another key is known there, or no answer comes in time. */
  #join(port: number, ms: number): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the gate has hung up')));
    socket.write(`BP1 ${identityOf(this.key, HOST_ID)} H\n`);
    const lines = createInterface({ input: socket });
    // An interface repeats the errors of its input, which whoever holds the socket hears already.
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      const message = parsed(Message, line);
      if (message === undefined) return void socket.destroy(new Error('a line that no gate writes'));
      if (message.stranger === true) return void socket.destroy(new Useless('the gate there knows another key'));
      resolve(socket);
      if (message.refused !== undefined) this.#deps.refused(message.refused);
      if (message.failed !== undefined) this.#deps.failed(message.failed);
    });
    return this.#bounded(ms, 'the gate there has not answered', promise, (error) => void socket.destroy(error));
  }

  #linked(socket: Socket, port: number, left: string | null = null): number {
    this.#link = { socket, port };
    if (this.#told.has(AGAIN)) this.#deps.back(this.#failures);
    this.#failures = 0;
    this.#told.clear();
    socket.on('error', (error) => this.#deps.onError('the connection to the gate', error));
    socket.once('close', () => {
      this.#link = null;
      this.#again(0);
    });
    if (socket.destroyed) this.#link = null;
    this.#deps.at(port, left);
    return port;
  }

  #again(afterMs: number): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => void this.#try(), afterMs);
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return;
    this.#tell(AGAIN, error);
    this.#failures += 1;
    if (this.#failures >= ATTEMPTS) this.#deps.gone(error);
    this.#again(retryMs(this.#failures));
  }

  /** Reports a fault, unless it was the last one that was reported there. */
  #tell(where: string, error: unknown): void {
    const text = errorText(error);
    if (this.#told.get(where) === text) return;
    this.#told.set(where, text);
    this.#deps.onError(where, error);
  }
}
