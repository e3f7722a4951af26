import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
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
});
type Found = z.infer<typeof Found>;

const Message = z.object({
  refused: z
    .object({ bot_id: z.string(), host: z.string(), port: z.number(), why: z.string(), at: z.number() })
    .optional(),
});

/** Pause before a gate that could not be started is tried again. */
const RETRY_MS = 500;

export interface GateProcessDeps {
  /** Folder of the gate in the data folder. */
  readonly dir: string;
  readonly hostKey: string;
  readonly version: string;
  readonly onError: (where: string, error: unknown) => void;
  readonly refused: (refusal: Refusal) => void;
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

/**
 * The gate of this host: a process that outlives it, so that programs which a host leaves behind keep their way out. It is started
 * with the first bot that needs it, taken over by the next host, and started again at once when it dies.
 */
export class GateProcess {
  readonly key: Buffer;
  readonly #deps: GateProcessDeps;
  #link: { readonly socket: Socket; readonly port: number } | null = null;
  #starting: Promise<number> | null = null;
  #isClosed = false;
  #retry: NodeJS.Timeout | null = null;

  constructor(deps: GateProcessDeps) {
    this.#deps = deps;
    this.key = createHmac('sha256', deps.hostKey).update('gate').digest();
  }

  /** The port of the running gate, which is started if there is none. Rejects where it cannot be. */
  port(): Promise<number> {
    if (this.#link !== null) return Promise.resolve(this.#link.port);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Takes over a gate that an earlier host left running; without one, nothing is started. */
  async takeOver(): Promise<void> {
    const found = this.#found();
    if (found !== null && (await isAlive(found))) await this.port();
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

  #found(): Found | null {
    try {
      return Found.safeParse(JSON.parse(readFileSync(join(this.#deps.dir, 'process.json'), 'utf8'))).data ?? null;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  async #start(): Promise<number> {
    const { dir, version } = this.#deps;
    for (const folder of ['policies', 'contacts']) mkdirSync(join(dir, folder), { recursive: true, mode: 0o700 });
    await writeFileAtomic(join(dir, 'key'), this.key);
    const found = this.#found();
    if (found !== null && (await isAlive(found))) {
      const socket = await this.#join(found.port);
      if (found.version === version) return this.#linked(socket, found.port);
      // It ends with its last connection; the port is free at once.
      socket.end('drain\n');
    }
    const port = await this.#spawn(found?.port ?? 0).catch((error: unknown) => {
      if (found === null) throw error;
      this.#deps.onError(
        `the gate on its port ${found.port}; programs that run must be started again to reach it`,
        error,
      );
      return this.#spawn(0);
    });
    return this.#linked(await this.#join(port), port);
  }

  async #spawn(port: number): Promise<number> {
    const { dir, version } = this.#deps;
    const log = openSync(join(dir, 'gate.log'), 'a', 0o600);
    const env = { PATH: process.env.PATH ?? '', UV_THREADPOOL_SIZE: '16' };
    const flags = ['--max-semi-space-size=2', '--max-old-space-size=256'];
    try {
      const args = [...flags, program(), dir, String(port), version];
      const options = { detached: true, env, windowsHide: true };
      const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', log] });
      const { stdout } = child;
      if (stdout === null) throw new Error('the gate has no output');
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`the gate ended before it was ready (${signal ?? code})`)));
      createInterface({ input: stdout }).once('line', (line) => {
        const told: unknown = JSON.parse(line);
        const ready = z.object({ port: z.number() }).safeParse(told).data;
        if (ready === undefined) reject(new Error(line));
        else resolve(ready.port);
      });
      const at = await promise;
      stdout.destroy();
      child.unref();
      return at;
    } finally {
      closeSync(log);
    }
  }

  /** Connects as the host. */
  #join(port: number): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the gate has hung up')));
    socket.write(`BP1 ${identityOf(this.key, HOST_ID)} H\n`);
    createInterface({ input: socket }).on('line', (line) => {
      resolve(socket);
      const refused = Message.safeParse(JSON.parse(line)).data?.refused;
      if (refused !== undefined) this.#deps.refused(refused);
    });
    return promise;
  }

  #linked(socket: Socket, port: number): number {
    this.#link = { socket, port };
    socket.on('error', (error) => this.#deps.onError('the connection to the gate', error));
    socket.once('close', () => {
      this.#link = null;
      this.#again(0);
    });
    if (socket.destroyed) this.#link = null;
    return port;
  }

  #again(afterMs: number): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => {
      this.port().catch((error: unknown) => {
        this.#deps.onError(`the gate, which is tried again (${errorText(error)})`, error);
        this.#again(RETRY_MS);
      });
    }, afterMs);
  }
}
