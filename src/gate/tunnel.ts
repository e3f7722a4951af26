import { lookup } from 'node:dns/promises';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { systemErrorCode } from '../node/system-error.ts';
import type { BotGate, Leave, Open } from './bot-gate.ts';
import { readClientHello } from './client-hello.ts';
import { isCalled, written } from './destination.ts';
import { RequestStream, sniffHttp } from './http-in-tunnel.ts';
import { judgeAddresses } from './policy.ts';

/** Resolves a name to all of its addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Resolves as the machine does. */
export const resolveHere: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/** Why a connection was not made: `refused` by the permits, or the network failed. */
export interface NoConnection {
  readonly isRefused: boolean;
  readonly why: string;
}

const isRefusal = (value: Socket | NoConnection): value is NoConnection => 'isRefused' in value;

/** Longest time for a connection to be made. */
const DIAL_MS = 30_000;

/**
 * Connects to one of these addresses and no other: the name is not resolved again. Gives up after `withinMs`, and when `during`
 * has closed.
 */
export function dial(
  addresses: readonly string[],
  port: number,
  during: Open,
  withinMs: number = DIAL_MS,
): Promise<Socket> {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const judged: LookupFunction = (_host, options, done) => {
    const [first] = all;
    if (options.all === true) done(null, all);
    else done(null, first?.address ?? '', first?.family ?? 4);
  };
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({
    host: 'judged',
    port,
    lookup: judged,
    noDelay: true,
    autoSelectFamily: true,
    allowHalfOpen: true,
  });
  const giveUp = (code: string): void => void socket.destroy(Object.assign(new Error(code), { code }));
  const late = setTimeout(() => giveUp('ETIMEDOUT'), withinMs);
  if (during.destroyed) giveUp('ECANCELED');
  during.once('close', () => {
    if (socket.connecting) giveUp('ECANCELED');
  });
  socket.once('connect', () => {
    socket.off('error', reject);
    resolve(socket);
  });
  socket.once('error', reject);
  return promise.finally(() => clearTimeout(late));
}

/**
 * Makes the connection that a bot has leave for, unless `during` closes before. Names are resolved once, and checked after
 * that.
 */
export async function reach(
  bot: BotGate,
  leave: Leave,
  resolve: Resolve,
  during: Open,
): Promise<Socket | NoConnection> {
  const { to, policy, contact } = leave;
  const refusal = (why: string): NoConnection | null => {
    if (!leave.isOnlyRecorded) return { isRefused: true, why: bot.refuse(to, why) };
    bot.beyond(leave, why);
    return null;
  };
  try {
    const addresses = to.isAddress ? [to.host] : await resolve(to.host);
    const why = to.isAddress ? null : judgeAddresses(policy, to, addresses, leave.mayBeLocal);
    const refused = why === null ? null : refusal(why);
    if (refused !== null) return refused;
    const socket = await dial(addresses, to.port, during);
    bot.made(contact);
    return socket;
  } catch (error) {
    return { isRefused: false, why: `${written(to)} cannot be reached: ${systemErrorCode(error) ?? 'no connection'}` };
  }
}

/** What the first bytes of a program decide about the rest. */
type Kind =
  | { readonly is: 'raw' }
  | { readonly is: 'http' }
  | { readonly is: 'more' }
  | { readonly is: 'refused'; why: string };

function kindOf(bytes: Buffer, { to, isTls }: Leave): Kind {
  const hello = readClientHello(bytes);
  if (hello.is === 'more') return { is: 'more' };
  if (hello.is === 'broken') return { is: 'refused', why: `what is sent to ${written(to)} is no sound TLS` };
  if (hello.is === 'hello') {
    const isSame = hello.name !== null && isCalled(to, hello.name.toLowerCase().replace(/\.$/, ''));
    if (isSame || (to.isAddress && hello.name === null)) return { is: 'raw' };
    const named = hello.name === null ? 'names no host' : `asks for ${JSON.stringify(hello.name.slice(0, 100))}`;
    return { is: 'refused', why: `TLS ${named} in a connection for ${written(to)}` };
  }
  if (isTls) return { is: 'refused', why: `${written(to)} is permitted with TLS alone, and this is none` };
  const sniffed = sniffHttp(bytes);
  return { is: sniffed === 'other' ? 'raw' : sniffed };
}

/** Copies one direction, and waits where the other side is slow. */
function pour(data: Buffer, to: Socket, from: Socket): void {
  if (to.write(data)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

/**
 * Passes bytes between a program and its destination. The first bytes of the program must fit the name; plain HTTP is
 * followed request by request. `first`: bytes that came with the request for the connection.
 */
export function relay(bot: BotGate, leave: Leave, program: Socket, server: Socket, first: Buffer): void {
  const { contact, to } = leave;
  let kind: Kind = { is: 'more' };
  let seen: Buffer = first;
  let requests: RequestStream | null = null;
  const end = (): void => {
    program.destroy();
    server.destroy();
  };
  const refused = (why: string): void => {
    if (leave.isOnlyRecorded) return void bot.beyond(leave, why);
    bot.refuse(to, why);
    end();
  };
  const send = (data: Buffer): void => {
    if (data.length === 0) return;
    bot.moved(contact, data.length, 0);
    pour(data, server, program);
  };
  /** What is only recorded has been sent before it was looked at: nothing of it waits. */
  const judged = (data: Buffer): void => {
    if (!leave.isOnlyRecorded) send(data);
  };
  const follow = (data: Buffer): void => {
    const passed = requests?.push(data) ?? data;
    if (typeof passed !== 'string') return void judged(passed);
    // Only recorded: what comes after it cannot be followed any more.
    requests = null;
    refused(`${passed}, in a connection for ${written(to)}`);
  };
  const said = (data: Buffer): void => {
    if (leave.isOnlyRecorded) send(data);
    if (kind.is !== 'more') return void follow(data);
    seen = seen.length === 0 ? data : Buffer.concat([seen, data]);
    kind = kindOf(seen, leave);
    if (kind.is === 'more') return;
    const all = seen;
    seen = Buffer.alloc(0);
    if (kind.is === 'refused') return void refused(kind.why);
    if (kind.is === 'http') requests = new RequestStream(to);
    follow(all);
  };
  bot.remember({ leave, isJudged: () => kind.is === 'raw', end }, program);
  program.setTimeout(0);
  program.on('data', said);
  server.on('data', (data: Buffer) => {
    bot.moved(contact, 0, data.length);
    pour(data, program, server);
    if (requests?.waitsForAnswer !== true) return;
    requests.answered(/^HTTP\/1\.1 101 /.test(data.toString('latin1', 0, 16)));
    follow(Buffer.alloc(0));
  });
  program.on('end', () => server.end());
  server.on('end', () => program.end());
  program.on('error', end);
  server.on('error', end);
  program.on('close', () => server.destroy());
  server.on('close', () => program.destroySoon());
  if (first.length > 0) {
    seen = Buffer.alloc(0);
    said(first);
  }
}

/** Makes the connection and passes bytes, or says why not. */
export async function tunnel(
  bot: BotGate,
  leave: Leave,
  { program, first, resolve }: { readonly program: Socket; readonly first: Buffer; readonly resolve: Resolve },
  answer: (failure: NoConnection | null) => void,
): Promise<void> {
  program.pause();
  const server = await reach(bot, leave, resolve, program);
  if (isRefusal(server)) return answer(server);
  if (program.destroyed) return void server.destroy();
  answer(null);
  relay(bot, leave, program, server, first);
  program.resume();
}
