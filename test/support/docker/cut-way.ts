import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { tempDir } from '../temp.ts';

/** The way to a Docker engine, which a test can cut, slow down or let hang. */
export class CutWay {
  readonly address: string;
  readonly #engine: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** A request line; the way breaks when the engine has done it and answers. */
  #cutAt: RegExp | null = null;
  #slow: { readonly request: RegExp; readonly ms: number } | null = null;
  #hangs = false;
  #closed = false;

  private constructor(engine: string, path: string) {
    this.#engine = new URL(engine).pathname;
    this.address = `unix://${path}`;
    this.#server = createServer((client) => this.#join(client));
  }

  static async open(engine: string): Promise<CutWay> {
    const path = join(tempDir('platform-way-'), 'docker.sock');
    const way = new CutWay(engine, path);
    await new Promise<void>((resolve) => way.#server.listen(path, resolve));
    return way;
  }

  /** Breaks when the engine answers a request like this, and stays broken until `heal`. */
  cutAt(request: RegExp): void {
    this.#cutAt = request;
  }

  /** A request like this reaches the engine so many ms later. */
  slowDown(request: RegExp, ms: number): void {
    this.#slow = { request, ms };
  }

  /** Takes requests and never answers. */
  hang(): void {
    this.#hangs = true;
  }

  heal(): void {
    this.#hangs = false;
    this.#closed = false;
    this.#cutAt = null;
    this.#slow = null;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #cut(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket): void {
    this.#sockets.add(client);
    client.on('close', () => this.#sockets.delete(client));
    client.on('error', () => client.destroy());
    if (this.#closed) {
      client.destroy();
      return;
    }
    const engine = connect(this.#engine);
    this.#sockets.add(engine);
    engine.on('close', () => this.#sockets.delete(engine));
    engine.on('error', () => client.destroy());
    let last = '';
    client.on('data', (data) => {
      last = data.toString('latin1').split('\r\n')[0] ?? '';
      if (this.#slow?.request.test(last) === true) setTimeout(() => engine.write(data), this.#slow.ms);
      else if (!this.#hangs) engine.write(data);
    });
    engine.on('data', (data) => {
      if (this.#cutAt?.test(last) === true) this.#cut();
      else if (!this.#hangs) client.write(data);
    });
    client.on('end', () => engine.end());
    engine.on('end', () => client.end());
  }
}
