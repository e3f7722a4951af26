import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { identityOf } from '../../../src/gate/identity.ts';
import type { Policy } from '../../../src/gate/policy.ts';

/** A gate in a process of its own, with the folder that it works on. */
export interface TestGate {
  readonly port: number;
  readonly dir: string;
  readonly child: ChildProcess;
  readonly key: Buffer;
  identity(botId: string): string;
  allow(botId: string, policy: Partial<Policy>): void;
  close(): Promise<void>;
}

/** Starts the gate with names of its own; `program` is the entry, by default the one with names. */
export async function startGate(
  names: Readonly<Record<string, readonly string[][]>>,
  given?: string,
): Promise<TestGate> {
  const dir = mkdtempSync(join(given ?? tmpdir(), 'gate-'));
  for (const folder of ['policies', 'contacts', 'names']) mkdirSync(join(dir, folder));
  const key = randomBytes(32);
  writeFileSync(join(dir, 'key'), key);
  const entry = resolve(import.meta.dirname, 'gate-with-names.ts');
  const child = spawn(process.execPath, [entry, dir, '0', JSON.stringify(names)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { port } = JSON.parse(String(line));
  return {
    ...{ port, dir, child, key },
    identity: (botId) => identityOf(key, botId),
    allow: (botId, policy) => {
      const file = join(dir, 'policies', `${botId}.json`);
      writeFileSync(`${file}.new`, JSON.stringify({ mode: 'enforce', network: [], local: [], exempt: [], ...policy }));
      renameSync(`${file}.new`, file);
    },
    close: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A server that keeps what it is sent. `answer`: what it says to the first bytes of each connection. */
export class Sink {
  readonly #server: Server;
  #received = '';
  port = 0;

  constructor(answer: (text: string) => string = () => 'SINK') {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => socket.destroy());
      socket.on('end', () => socket.end());
      socket.on('data', (data) => {
        this.#received += data.toString('latin1');
        socket.write(answer(data.toString('latin1')));
      });
    });
  }

  get received(): string {
    return this.#received;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address === 'object' && address !== null) this.port = address.port;
    return this;
  }

  forget(): void {
    this.#received = '';
  }

  close(): void {
    this.#server.close();
  }
}

/** One connection to the gate; `read` waits until what it looks for has come, or the end. */
export class Line {
  readonly socket: Socket;
  #text = '';
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.on('data', (data) => {
      this.#text += data.toString('latin1');
      this.#wake();
    });
    for (const event of ['end', 'error', 'close'])
      this.socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
  }

  send(data: string | Buffer): this {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
    return this;
  }

  /** All that has come and was not read, once `enough` holds of it or the connection has ended. */
  async read(enough: (text: string) => boolean = (text) => text !== ''): Promise<string> {
    while (!enough(this.#text) && !this.#ended) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    const text = this.#text;
    this.#text = '';
    return text;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** The first bytes of a TLS connection for a name; without a name it names no host. */
export function clientHello(servername?: string): Promise<Buffer> {
  const { promise, resolve: done } = Promise.withResolvers<Buffer>();
  const wire = new Duplex({
    read: () => undefined,
    write: (data: Buffer, _encoding, next) => {
      done(data);
      next();
    },
  });
  const socket = connectTls({ socket: wire, ...(servername === undefined ? {} : { servername }) });
  socket.on('error', () => undefined);
  return promise.finally(() => socket.destroy());
}

export const headEnd = (text: string): boolean => text.includes('\r\n\r\n');
