import { existsSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { BotGate, type Refusal } from './bot-gate.ts';
import { readDestination } from './destination.ts';
import { type FirstLine, mayBeFirstLine, readFirstLine } from './first-line.ts';
import { hangUp } from './hang-up.ts';
import { HOST_ID, ownerOf } from './identity.ts';
import { NAME_PORT, serveNames } from './name-server.ts';
import { createHttpProxy } from './proxy-http.ts';
import { serveSocks } from './proxy-socks.ts';
import { isStandIn } from './stand-ins.ts';
import { type Resolve, tunnel } from './tunnel.ts';
import { UnidentifiedConnections } from './unidentified-connections.ts';

const SOCKS = 5;
const WRITE_EVERY_MS = 2000;
const LOOK_EVERY_MS = 1000;
/** Longest answer to a sandbox. */
const MOST_ANSWER = 180;

export interface GateOptions {
  /** Folder of the gate in the data folder. */
  readonly dir: string;
  readonly key: Buffer;
  readonly version: string;
  readonly resolve: Resolve;
  readonly now: () => number;
  readonly log: (text: string) => void;
  /** The gate has nothing left to do. */
  readonly ended: () => void;
}

/**
 * The one way out for the programs of all bots of a host. It decides by files that the host writes, and so needs no host to
 * go on; the host hears of refusals on a connection of its own.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #bots = new Map<string, BotGate>();
  readonly #known = new WeakMap<Socket, BotGate>();
  readonly #unidentified = new UnidentifiedConnections();
  readonly #hosts = new Set<Socket>();
  readonly #http: HttpServer;
  readonly #server: Server;
  readonly #timers: NodeJS.Timeout[];
  #isDraining = false;
  #connections = 0;

  constructor(options: GateOptions) {
    this.#options = options;
    const { resolve } = options;
    this.#http = createHttpProxy((socket, header) => {
      const bot = this.#known.get(socket) ?? this.#byHeader(header);
      // One for which its bot has no place left stays among those that go first.
      if (bot !== null && bot.hold(socket) === null) this.#unidentified.known(socket);
      return bot;
    }, resolve);
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => this.#opened(socket));
    this.#timers = [
      setInterval(() => void this.#write(), WRITE_EVERY_MS),
      setInterval(() => {
        for (const bot of this.#bots.values()) bot.review();
        if (!existsSync(options.dir)) options.ended();
      }, LOOK_EVERY_MS),
    ];
  }

  /** True once it takes no new connections, and ends with the last one. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Resolves to the port. Rejects where it is taken. */
  listen(port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#server.once('error', reject);
    this.#server.listen({ port, host: '127.0.0.1', backlog: 1024 }, () => {
      this.#server.off('error', reject);
      const address = this.#server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
    return promise;
  }

  /** Takes no new connections, writes what it knows, and ends those that are left. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#server.close();
    await this.#write();
  }

  async #write(): Promise<void> {
    for (const bot of this.#bots.values()) await bot.book.write(this.#options.log);
  }

  #bot(botId: string): BotGate {
    const known = this.#bots.get(botId);
    if (known !== undefined) return known;
    const { dir, now, log } = this.#options;
    const made = new BotGate(botId, { dir, now, log, refused: (refused) => this.#tell({ refused }) });
    this.#bots.set(botId, made);
    return made;
  }

  #byIdentity(identity: string): BotGate | null {
    const owner = ownerOf(this.#options.key, identity);
    return owner === null || owner === HOST_ID ? null : this.#bot(owner);
  }

  #byHeader(header: string | undefined): BotGate | null {
    const encoded = /^Basic ([A-Za-z0-9+/=]{1,512})$/i.exec(header ?? '')?.[1];
    if (encoded === undefined) return null;
    const text = Buffer.from(encoded, 'base64').toString('latin1');
    return this.#byIdentity(text.slice(text.indexOf(':') + 1));
  }

  #tell(message: { readonly refused: Refusal } | { readonly failed: Refusal }): void {
    for (const host of this.#hosts) host.write(`${JSON.stringify(message)}\n`);
  }

  #opened(socket: Socket): void {
    this.#connections += 1;
    socket.on('error', () => socket.destroy());
    this.#unidentified.add(socket);
    socket.on('close', () => {
      this.#connections -= 1;
      if (this.#isDraining && this.#connections === 0) this.#options.ended();
    });
    this.#read(socket, Buffer.alloc(0));
  }

  /** Collects the bytes by which a protocol is known. */
  #read(socket: Socket, held: Buffer): void {
    const more = (data: Buffer): void => {
      held = Buffer.concat([held, data]);
      if (held.length === 0) return;
      const known = this.#known.get(socket);
      if (known === undefined && mayBeFirstLine(held)) {
        const read = readFirstLine(held);
        if (read === null) return;
        socket.off('data', more);
        if (read === 'broken') socket.destroy();
        else this.#begun(socket, read.line, held.subarray(read.length));
        return;
      }
      socket.off('data', more);
      if (held[0] === SOCKS)
        serveSocks({
          ...{ socket, first: held, known: known ?? null, resolve: this.#options.resolve },
          asks: () => this.#unidentified.known(socket),
          byPassword: (identity) => this.#byIdentity(identity),
        });
      else {
        socket.pause();
        socket.unshift(held);
        this.#http.emit('connection', socket);
        socket.resume();
      }
    };
    socket.on('data', more);
    if (held.length > 0) more(Buffer.alloc(0));
  }

  #begun(socket: Socket, line: FirstLine, rest: Buffer): void {
    if (line.is === 'host') return void this.#hostSpeaks(socket, line.identity, rest);
    const bot = this.#byIdentity(line.identity);
    if (bot === null) return void socket.destroy();
    if (line.is === 'program') {
      this.#known.set(socket, bot);
      return void this.#read(socket, rest);
    }
    if (line.is === 'name') {
      return void hangUp(socket, `${bot.standIn(readDestination(line.name, 443)).slice(0, MOST_ANSWER)}\n`);
    }
    if (line.port === NAME_PORT) return void this.#servesNames(socket, bot, rest);
    const name = bot.nameOf(line.address);
    const no = (why: string): void => hangUp(socket, `-${why.slice(0, MOST_ANSWER)}\n`);
    if (name === null && isStandIn(line.address))
      return void no('this address stands for no name: look the name up again');
    const leave = bot.ask(readDestination(name ?? line.address, line.port), socket);
    this.#unidentified.known(socket);
    if (typeof leave === 'string') return void no(leave);
    // The supervisor waits for this, and with it every call of the program that it judges: so not for the network.
    socket.write('+\n');
    void tunnel(bot, leave, { program: socket, first: rest, resolve: this.#options.resolve }, (failure) => {
      if (failure === null) return;
      const failed = failure.isRefused ? null : bot.failed(leave.to, failure.why);
      if (failed !== null) this.#tell({ failed });
      socket.resetAndDestroy();
    });
  }

  #servesNames(socket: Socket, bot: BotGate, rest: Buffer): void {
    const full = bot.hold(socket);
    this.#unidentified.known(socket);
    if (full !== null) return void hangUp(socket, `-${full}\n`);
    socket.write('+\n');
    serveNames(socket, rest, (name) => bot.standIn(readDestination(name, 443)));
  }

  /** The host listens for refusals, and may ask the gate to end once its last connection has. */
  #hostSpeaks(socket: Socket, identity: string, rest: Buffer): void {
    // Said, so that a host with another key knows that it has to start a gate of its own.
    if (ownerOf(this.#options.key, identity) !== HOST_ID) return void hangUp(socket, '{"stranger":true}\n');
    const { version } = this.#options;
    socket.write(`${JSON.stringify({ gate: { version, pid: process.pid } })}\n`);
    this.#unidentified.known(socket);
    socket.on('end', () => socket.destroy());
    this.#hosts.add(socket);
    this.#connections -= 1;
    // Before the listener that counts every connection down: the last one of a program must not be taken for none.
    socket.prependListener('close', () => {
      this.#hosts.delete(socket);
      this.#connections += 1;
    });
    let said = rest.toString('latin1');
    const heard = (data: Buffer): void => {
      said = (said + data.toString('latin1')).slice(-64);
      if (said.includes('end\n')) this.#options.ended();
      else if (said.includes('drain\n')) this.#drain();
    };
    socket.on('data', heard);
    heard(Buffer.alloc(0));
  }

  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#server.close();
    if (this.#connections === 0) this.#options.ended();
  }
}
