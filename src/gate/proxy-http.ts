import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorText, systemErrorCode } from '../node/system-error.ts';
import type { BotGate } from './bot-gate.ts';
import { readAuthority, written } from './destination.ts';
import { hangUp } from './hang-up.ts';
import { type Resolve, reach, tunnel } from './tunnel.ts';

/** Finds who speaks on a connection, by it or by the header Proxy-Authorization; null for nobody. */
export type Identify = (socket: Socket, authorization: string | undefined) => BotGate | null;

const NO_PASS = 'this program has no pass for the gate';
/** Headers of one connection, which do not go on to the next. What frames a body is not among them. */
const HOP_BY_HOP = ['proxy-authorization', 'proxy-authenticate', 'proxy-connection', 'keep-alive', 'connection', 'te'];
const OUT_OF_REQUESTS = new Set([...HOP_BY_HOP, 'trailer', 'host']);
/** The length of an answer stays; how its bytes are cut the gate says itself. */
const OUT_OF_ANSWERS = new Set([...HOP_BY_HOP, 'trailer', 'transfer-encoding', 'upgrade']);

const plainText = (text: string): string => `platform: ${text}\n`;

/** Answers a request for a connection in place of the connection. */
function deny(socket: Socket, status: number, text: string): void {
  const body = plainText(text);
  const phrase = status === 407 ? 'Proxy Authentication Required' : status === 403 ? 'Forbidden' : 'Bad Gateway';
  const challenge = status === 407 ? 'Proxy-Authenticate: Basic realm="gate"\r\n' : '';
  hangUp(
    socket,
    `HTTP/1.1 ${status} ${phrase}\r\n${challenge}Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const pairsOf = ({ rawHeaders }: IncomingMessage): string[][] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, at) => rawHeaders.slice(at * 2, at * 2 + 2));

/** Headers of a proxied request as the server gets them, in their order. */
function passedOn(incoming: IncomingMessage, host: string): string[] {
  const kept = pairsOf(incoming).filter(([name = '']) => !OUT_OF_REQUESTS.has(name.toLowerCase()));
  return ['Host', host, ...kept.flat()];
}

/** Begins the answer of a server to a program. Throws for one that cannot be passed on. */
function passAnswer(received: IncomingMessage, answer: ServerResponse): void {
  const { statusCode = 0, statusMessage = '' } = received;
  if (statusCode < 200 || statusCode > 999) throw new Error('its status is none of HTTP');
  // Node keeps a reason that it refuses, and refuses the next one for it.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage)) throw new Error('its reason has control characters');
  const kept = pairsOf(received).filter(([name = '']) => !OUT_OF_ANSWERS.has(name.toLowerCase()));
  answer.writeHead(statusCode, statusMessage, kept.flat());
}

interface Target {
  readonly authority: string;
  readonly path: string;
}

function targetOf(url: string): Target | null {
  const found = /^http:\/\/([^/?#]+)([/?][^#]*)?/i.exec(url);
  if (found?.[1] === undefined) return null;
  const path = found[2] ?? '/';
  return { authority: found[1], path: path.startsWith('/') ? path : `/${path}` };
}

/** The proxy for HTTP: CONNECT, plain requests with a whole URL, and such that change to another protocol. */
export function createHttpProxy(identify: Identify, resolve: Resolve): Server {
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, (incoming, answer) => {
    const fail = (status: number, text: string): void => {
      if (answer.headersSent) return void answer.destroy();
      const challenge = status === 407 ? { 'proxy-authenticate': 'Basic realm="gate"' } : {};
      answer.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...challenge });
      answer.end(plainText(text));
    };
    const bot = identify(incoming.socket, incoming.headers['proxy-authorization']);
    if (bot === null) return fail(407, NO_PASS);
    void pass(bot, incoming, answer, fail).catch((error: unknown) =>
      fail(502, systemErrorCode(error) ?? 'no connection'),
    );
  });

  const pass = async (
    bot: BotGate,
    incoming: IncomingMessage,
    answer: ServerResponse,
    fail: (status: number, text: string) => void,
  ): Promise<void> => {
    const target = targetOf(incoming.url ?? '');
    if (target === null) return fail(400, 'this is no request to a proxy: give the whole http:// address');
    const leave = bot.ask(readAuthority(target.authority, 80), incoming.socket, answer);
    if (typeof leave === 'string') return fail(403, leave);
    if (leave.isTls) {
      const why = `${written(leave.to)} is permitted with TLS alone, and this is plain HTTP`;
      if (!leave.isOnlyRecorded) return fail(403, bot.refuse(leave.to, why));
      bot.beyond(leave, why);
    }
    bot.remember({ leave, isJudged: () => true, end: () => void answer.destroy() }, answer);
    const { contact } = leave;
    const upstream = await reach(bot, leave, resolve, answer);
    if ('isRefused' in upstream) return fail(upstream.isRefused ? 403 : 502, upstream.why);
    if (answer.destroyed) return void upstream.destroy();
    // Whatever becomes of the request, its connection ends with the answer.
    answer.on('close', () => upstream.destroy());
    const sent = request(
      {
        method: incoming.method,
        path: target.path,
        headers: passedOn(incoming, target.authority),
        setHost: false,
        createConnection: () => upstream,
      },
      (received) => {
        received.on('error', () => answer.destroy());
        try {
          passAnswer(received, answer);
        } catch (error) {
          upstream.destroy();
          return fail(502, `${written(leave.to)} has sent an answer that is not sound: ${errorText(error)}`);
        }
        received.on('data', (data: Buffer) => bot.moved(contact, 0, data.length));
        received.pipe(answer);
      },
    );
    sent.on('upgrade', () => {
      upstream.destroy();
      fail(502, `${written(leave.to)} has changed to another protocol without being asked`);
    });
    sent.on('error', (error) => fail(502, `${written(leave.to)}: ${systemErrorCode(error) ?? 'no answer'}`));
    incoming.on('data', (data: Buffer) => bot.moved(contact, data.length, 0));
    incoming.on('error', () => sent.destroy());
    incoming.pipe(sent);
  };

  server.on('connect', (incoming: IncomingMessage, socket: Socket, first: Buffer) => {
    socket.on('error', () => socket.destroy());
    const bot = identify(socket, incoming.headers['proxy-authorization']);
    if (bot === null) return deny(socket, 407, NO_PASS);
    const leave = bot.ask(readAuthority(incoming.url ?? '', null), socket);
    if (typeof leave === 'string') return deny(socket, 403, leave);
    void tunnel(bot, leave, { program: socket, first, resolve }, (failure) => {
      if (failure === null) socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      else deny(socket, failure.isRefused ? 403 : 502, failure.why);
    });
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, first: Buffer) => {
    socket.on('error', () => socket.destroy());
    const bot = identify(socket, incoming.headers['proxy-authorization']);
    if (bot === null) return deny(socket, 407, NO_PASS);
    const target = targetOf(incoming.url ?? '');
    const leave = bot.ask(target === null ? null : readAuthority(target.authority, 80), socket);
    if (target === null || typeof leave === 'string') return deny(socket, 403, String(leave));
    const pairs = passedOn(incoming, target.authority);
    const lines = Array.from({ length: pairs.length / 2 }, (_, at) => `${pairs[at * 2]}: ${pairs[at * 2 + 1]}\r\n`);
    const head = `${incoming.method} ${target.path} HTTP/1.1\r\nConnection: Upgrade\r\n${lines.join('')}\r\n`;
    const all = Buffer.concat([Buffer.from(head, 'latin1'), first]);
    void tunnel(bot, leave, { program: socket, first: all, resolve }, (failure) => {
      if (failure !== null) deny(socket, failure.isRefused ? 403 : 502, failure.why);
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  return server;
}
