import { createServer, type Server } from 'node:http';
import { systemErrorCode } from '../../../node/system-error.ts';
import { offlineFeed } from './offline-feed.ts';

/** Above the host's own port, for machines where containers reach the loopback that the host itself listens on. */
const ELSEWHERE = 10_000;

function feedServer(now: () => number): Server {
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://feed');
    const answer = request.method === 'GET' ? offlineFeed(pathname, searchParams, now()) : undefined;
    response.writeHead(answer?.status ?? 404, { 'content-type': 'application/json', connection: 'close' });
    response.end(answer === undefined ? '{}' : JSON.stringify(answer.body));
  });
}

function listen(server: Server, address: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      const code = systemErrorCode(error);
      if (code === 'EADDRINUSE' || code === 'EADDRNOTAVAIL') resolve(false);
      else reject(error);
    };
    server.once('error', failed);
    server.listen({ port, host: address, exclusive: true }, () => {
      server.off('error', failed);
      resolve(true);
    });
  });
}

/**
 * The offline prices for bots in containers, which do not reach the loopback of this machine: the same answers at an
 * address that they do reach, and nothing but these. The port is the host's own where it is free there, so that bots that
 * outlive the host find it again.
 */
export class ContainerFeed {
  readonly #now: () => number;
  readonly #hostUrl: () => string;
  readonly #report: (where: string, error: unknown) => void;
  readonly #servers = new Map<string, Promise<Server | null>>();

  /** `report` gets the reason why it could not be served at an address of this machine. */
  constructor(hostUrl: () => string, now: () => number, report: (where: string, error: unknown) => void) {
    this.#hostUrl = hostUrl;
    this.#now = now;
    this.#report = report;
  }

  /** The addresses by which configs name it. */
  urls(): readonly string[] {
    const { port } = new URL(this.#hostUrl());
    return [`${this.#hostUrl()}/feed`, `http://127.0.0.1:${port}/feed`, `http://localhost:${port}/feed`];
  }

  /**
   * Serves at an address of this machine as well; the port, or null when it is no address of this machine, or nothing may
   * be served there. Only a success is remembered.
   */
  async serveAt(address: string): Promise<number | null> {
    let server = this.#servers.get(address);
    if (server === undefined) {
      server = this.#open(address);
      this.#servers.set(address, server);
    }
    const at = (await server)?.address();
    return at === null || at === undefined || typeof at === 'string' ? null : at.port;
  }

  async close(): Promise<void> {
    for (const opening of this.#servers.values()) {
      const server = await opening;
      if (server === null) continue;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    this.#servers.clear();
  }

  async #open(address: string): Promise<Server | null> {
    const own = Number(new URL(this.#hostUrl()).port);
    for (const port of [own, own + ELSEWHERE, 0]) {
      if (port > 65_535) continue;
      const server = feedServer(this.#now);
      try {
        if (await listen(server, address, port)) return server;
      } catch (error) {
        this.#report(`prices for containers could not be served at ${address}, port ${port}`, error);
      }
    }
    this.#servers.delete(address);
    return null;
  }
}
