import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Refusal } from '../../../gate/bot-gate.ts';
import { HOST_ID, identityOf } from '../../../gate/identity.ts';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import { isAlive } from '../../../node/process-identity.ts';
import { errorText, systemErrorCode } from '../../../node/system-error.ts';

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

/** The gate that was found is of no use to this host. */
class Useless extends Error {}

/** Pause before a gate that could not be started is tried again. */
const RETRY_MS = 500;
/** So many attempts in a row fail before it counts as gone: a machine that is short of something for a moment is no alarm. */
const ATTEMPTS = 5;
/** How long a gate that was found has to answer, and to leave its port. */
const ANSWER_MS = 30_000;

export interface GateProcessDeps {
  /** Folder of the gate in the data folder. */
  readonly dir: string;
  /** Identity of the data folder: the gate of the folder of which it is a copy is none of its own. */
  readonly folder: string;
  readonly hostKey: string;
  readonly version: string;
  readonly onError: (where: string, error: unknown) => void;
  readonly refused: (refusal: Refusal) => void;
  /** A connection of a sandboxed program could not be made, although it may. */
  readonly failed: (failure: Refusal) => void;
  /** The gate runs at this port. `why` it had to leave the port where programs look for it; null where it did not have to. */
  readonly at: (port: number, why: string | null) => void;
  /** It has ended and cannot be started, as several attempts have shown; it is tried again. */
  readonly gone: (error: unknown) => void;
  /** Instead of ANSWER_MS, for tests. */
  readonly answerMs?: number;
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

/** What a file says; null where there is none. */
function textOf(file: string, encoding: 'utf8' | 'latin1' = 'utf8'): string | null {
  try {
    return readFileSync(file, encoding);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
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
  #starting: Promise<number> | null = null;
  #isClosed = false;
  #retry: NodeJS.Timeout | null = null;
  /** Attempts to start it that have failed since it was there. */
  #failures = 0;
  #foundPort: number | null | undefined;

  constructor(deps: GateProcessDeps) {
    this.#deps = deps;
    this.#key = this.#keyOf(textOf(join(deps.dir, 'generation')) ?? '');
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
    if (textOf(file, 'latin1') !== this.#key.toString('latin1')) await writeFileAtomic(file, this.#key);
  }

  /** The port of the running gate, which is started if there is none. Rejects where it cannot be. */
  port(): Promise<number> {
    if (this.#link !== null) return Promise.resolve(this.#link.port);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /**
   * Takes over a gate that an earlier host left running. Where there is none, one is started if programs run that look for it, and
   * tried again until it is there.
   */
  async takeOver({ isNeeded }: { readonly isNeeded: boolean }): Promise<void> {
    const found = isNeeded ? null : this.#found();
    if (!isNeeded && (found === null || !(await isAlive(found)))) return;
    try {
      await this.port();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Ends the gate, unless bots go on without a host. */
  async close(options: { readonly leave: boolean }): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#starting?.catch(() => undefined);
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
    const text = textOf(join(this.#deps.dir, 'process.json'));
    if (text === null) return null;
    const found = parsed(Found, text);
    return found?.folder === this.#deps.folder ? found : null;
  }

  async #start(): Promise<number> {
    const { dir, version } = this.#deps;
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
      const port = await this.#spawn(found?.port ?? 0);
      return this.#linked(await this.#join(port), port);
    } catch (error) {
      if (!(error instanceof PortTaken || error instanceof Useless)) throw error;
      // Whoever has the port now hears the passes of programs that run.
      await this.#renewKey();
      this.#deps.onError(
        `the gate on its port ${found?.port}; programs that run must be started again to reach it`,
        error,
      );
      const port = await this.#spawn(0);
      // What it has in hand are programs that have no gate any more.
      if (error instanceof Useless && isThere) endProcess(found.pid);
      return this.#linked(await this.#join(port), port, errorText(error));
    }
  }

  /** As `#join`; null where the gate that was found has left its port already, to end with its last connection. */
  async #joinFound(port: number): Promise<Socket | null> {
    try {
      return await this.#join(port, this.#deps.answerMs ?? ANSWER_MS);
    } catch (error) {
      if (systemErrorCode(error) === 'ECONNREFUSED') return null;
      throw error;
    }
  }

  /** Has a gate leave its port. It ends with its last connection. */
  async #drained(socket: Socket): Promise<void> {
    const { promise: left, resolve, reject } = Promise.withResolvers<void>();
    const term = setTimeout(() => {
      reject(new Useless('the gate of another version does not leave it'));
      socket.destroy();
    }, this.#deps.answerMs ?? ANSWER_MS);
    // It hangs up on its host after it has left the port.
    socket.once('close', () => resolve());
    socket.end('drain\n');
    await left.finally(() => clearTimeout(term));
  }

  async #spawn(port: number): Promise<number> {
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
            this.#deps.onError('process.json of the gate, which goes on without it', new Error(told.unrecorded));
          resolve(told.port);
        }
      });
      const at = await promise;
      stdout.destroy();
      child.unref();
      return at;
    } finally {
      closeSync(log);
    }
  }

  /** Connects as the host. Rejects with Useless where another key is known there, or no answer comes in time. */
  #join(port: number, answerMs = 0): Promise<Socket> {
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
    if (answerMs === 0) return promise;
    const silent = (): void => void socket.destroy(new Useless(`the gate there has not answered in ${answerMs} ms`));
    const term = setTimeout(silent, answerMs);
    return promise.finally(() => clearTimeout(term));
  }

  #linked(socket: Socket, port: number, left: string | null = null): number {
    this.#link = { socket, port };
    this.#failures = 0;
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
    this.#retry = setTimeout(() => {
      this.port().catch((error: unknown) => this.#failed(error));
    }, afterMs);
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return;
    this.#deps.onError(`the gate, which is tried again (${errorText(error)})`, error);
    this.#failures += 1;
    if (this.#failures >= ATTEMPTS) this.#deps.gone(error);
    this.#again(RETRY_MS);
  }
}
