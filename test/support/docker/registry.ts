import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { arch } from 'node:os';
import { type Readable, Readable as Source } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar';
const HELD_AFTER = 0.5;

/** A layer: its files, or a tar on disk such as one of scripts/test-images.ts. */
export type Layer = Readonly<Record<string, string | Buffer>> | { readonly tar: string };

/** Requests to a registry. `ping` asks whether it is one. */
export type Asked = 'ping' | 'manifest' | 'config' | 'layer';

interface Blob {
  readonly digest: string;
  readonly size: number;
  readonly type: string;
  /** Of a layer: its place from below. */
  readonly layer: number | null;
  open(start: number, end?: number): Readable;
}

function digestOf(data: Buffer): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

function inMemory(data: Buffer, type: string, layer: number | null): Blob {
  return {
    digest: digestOf(data),
    size: data.length,
    type,
    layer,
    open: (start, end) => Source.from([data.subarray(start, end)]),
  };
}

async function blobOf(layer: Layer, index: number): Promise<Blob> {
  if (typeof layer.tar === 'string' && Object.keys(layer).length === 1) {
    const path = layer.tar;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    const open = (start: number, end?: number) =>
      createReadStream(path, { start, ...(end === undefined ? {} : { end: end - 1 }) });
    return { digest: `sha256:${hash.digest('hex')}`, size: (await stat(path)).size, type: LAYER, layer: index, open };
  }
  const tar = pack();
  for (const [name, content] of Object.entries(layer)) tar.entry({ name, mode: 0o755 }, content);
  tar.finalize();
  return inMemory(await buffer(tar), LAYER, index);
}

/** A layer that stopped half-way. */
export interface Held {
  /** Resolves when an engine has been sent the first half. */
  readonly reached: Promise<void>;
  /** Sends the rest, now and from now on. */
  release(): void;
}

/**
 * A registry with one image, on 127.0.0.1 over plain HTTP, which an engine on the same machine may pull from without
 * being told. It can fail, ask for a log-in, and stop in the middle of a layer.
 */
export class Registry implements AsyncDisposable {
  /** `METHOD path` of every request so far. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #blobs: ReadonlyMap<string, Blob>;
  readonly #manifest: Blob;
  readonly #failing = new Map<Asked, number>();
  readonly #held = new Map<number, { readonly reached: () => void; readonly released: Promise<void> }>();
  readonly #name: string;

  private constructor(name: string, manifest: Blob, blobs: readonly Blob[]) {
    this.#name = name;
    this.#manifest = manifest;
    this.#blobs = new Map(blobs.map((blob) => [blob.digest, blob]));
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.destroy(error));
    });
  }

  /** Starts one that has the image `name` with these layers, the lowest first. */
  static async start(name: string, layers: readonly Layer[], config: object = {}): Promise<Registry> {
    const blobs = await Promise.all(layers.map(blobOf));
    const image = {
      architecture: arch() === 'x64' ? 'amd64' : arch(),
      os: 'linux',
      config,
      rootfs: { type: 'layers', diff_ids: blobs.map(({ digest }) => digest) },
    };
    const settings = inMemory(Buffer.from(JSON.stringify(image)), CONFIG, null);
    const described = ({ type, digest, size }: Blob) => ({ mediaType: type, digest, size });
    const text = { schemaVersion: 2, mediaType: MANIFEST, config: described(settings), layers: blobs.map(described) };
    const manifest = inMemory(Buffer.from(JSON.stringify(text)), MANIFEST, null);
    const registry = new Registry(name, manifest, [settings, ...blobs]);
    registry.#server.listen(0, '127.0.0.1');
    await once(registry.#server, 'listening');
    return registry;
  }

  /** What to pull: `127.0.0.1:PORT/NAME`; any tag is the same image. */
  get reference(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the registry is closed');
    return `127.0.0.1:${address.port}/${this.#name}`;
  }

  /** Answers all requests of a kind with this status; 200 for as before. */
  fail(what: Asked, status: number): void {
    this.#failing.set(what, status);
  }

  /** Stops in the middle of a layer, 0 is the lowest, until the test lets it go on. */
  hold(layer: number): Held {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#held.set(layer, { reached: reached.resolve, released: released.promise });
    return {
      reached: reached.promise,
      release: () => {
        this.#held.delete(layer);
        released.resolve();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #find(url: string): { readonly asked: Asked; readonly blob: Blob | null } {
    if (/^\/v2\/?$/.test(url)) return { asked: 'ping', blob: null };
    const [, name, kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(url) ?? [];
    if (name === this.#name && kind === 'manifests') {
      const exists = !reference.startsWith('sha256:') || reference === this.#manifest.digest;
      return { asked: 'manifest', blob: exists ? this.#manifest : null };
    }
    const blob = name === this.#name ? (this.#blobs.get(reference) ?? null) : null;
    return { asked: blob?.type === CONFIG ? 'config' : kind === 'blobs' ? 'layer' : 'manifest', blob };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/';
    this.requests.push(`${request.method} ${url}`);
    const { asked, blob } = this.#find(url);
    const status = this.#failing.get(asked) ?? 200;
    if (status !== 200 || (blob === null && asked !== 'ping')) {
      refuse(response, status === 200 ? 404 : status, asked);
      return;
    }
    response.setHeader('docker-distribution-api-version', 'registry/2.0');
    if (blob === null) {
      response.end();
      return;
    }
    response.setHeader('content-type', blob.type);
    response.setHeader('content-length', blob.size);
    response.setHeader('docker-content-digest', blob.digest);
    if (request.method === 'HEAD') response.end();
    else await this.#send(blob, response);
  }

  async #send(blob: Blob, response: ServerResponse): Promise<void> {
    const held = blob.layer === null ? undefined : this.#held.get(blob.layer);
    let sent = 0;
    if (held !== undefined) {
      sent = Math.floor(blob.size * HELD_AFTER);
      for await (const chunk of blob.open(0, sent)) await written(response, chunk);
      held.reached();
      await held.released;
    }
    for await (const chunk of blob.open(sent)) await written(response, chunk);
    response.end();
  }
}

/** Resolves when a piece is with the system; rejects for an engine that has hung up. */
function written(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((done, failed) => {
    response.write(chunk, (error) => (error ? failed(error) : done()));
  });
}

function refuse(response: ServerResponse, status: number, asked: Asked): void {
  const unknown = asked === 'manifest' ? 'MANIFEST_UNKNOWN' : 'BLOB_UNKNOWN';
  const code = status === 401 ? 'UNAUTHORIZED' : status === 404 ? unknown : 'UNKNOWN';
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="test"');
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: [{ code, message: `test registry: ${status}` }] }));
}
