import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { tempDir } from '../temp.ts';

const ANSWERS: Readonly<Record<string, object>> = {
  '/version': { Version: '28.2.2', ApiVersion: '1.50' },
  '/info': { OSType: 'linux', SecurityOptions: [] },
  '/_ping': {},
};

/** Answers as a container engine does on a socket of its own, and can go. It runs nothing. */
export class AnsweringEngine {
  readonly socket = join(tempDir('engine-'), 'docker.sock');
  #server: Server | undefined;

  async start(): Promise<void> {
    this.#server = createServer(({ url = '' }, response) => {
      const answer = ANSWERS[url];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { message: `no such thing: ${url}` }));
    });
    await new Promise<void>((done) => this.#server?.listen(this.socket, done));
  }

  async stop(): Promise<void> {
    this.#server?.close();
    this.#server?.closeAllConnections();
    await rm(this.socket, { force: true });
  }
}
