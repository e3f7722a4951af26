import type { Socket } from 'node:net';
import type { BotGate } from './bot-gate.ts';
import { hangUp } from './hang-up.ts';
import { CONNECT, NO_LOGIN, PASSWORD, readCredentials, readGreeting, readSocksRequest, socksAnswer } from './socks.ts';
import { type Resolve, tunnel } from './tunnel.ts';

const NOT_ALLOWED = 2;
const UNREACHABLE = 4;
const NO_SUCH_COMMAND = 7;
/** A greeting, a log-in and a request take less. */
const MOST_BYTES = 1024;

interface SocksParts {
  readonly socket: Socket;
  readonly first: Buffer;
  /** Who speaks, where the way in told it already. */
  readonly known: BotGate | null;
  readonly byPassword: (identity: string) => BotGate | null;
  readonly resolve: Resolve;
  /** The program has said who speaks and where it wants to go. */
  readonly asks: () => void;
}

/** One connection that speaks SOCKS 5. Names are resolved by the gate; UDP and listening are refused. */
export function serveSocks({ socket, first, known, byPassword, resolve, asks }: SocksParts): void {
  let at: 'greeting' | 'login' | 'request' = 'greeting';
  let bot = known;
  let held: Buffer = Buffer.alloc(0);
  const refuse = (bytes: Buffer): void => {
    socket.off('data', more);
    hangUp(socket, bytes);
  };
  /** How many bytes were understood; 0 where more must come, null at the end. */
  const step = (): number | null => {
    if (at === 'greeting') {
      const greeting = readGreeting(held);
      if (greeting === null) return 0;
      const wanted = bot === null ? PASSWORD : NO_LOGIN;
      const offers = greeting === 'broken' ? [] : greeting.methods;
      const chosen = offers.includes(wanted) ? wanted : bot !== null && offers.includes(PASSWORD) ? PASSWORD : null;
      if (greeting === 'broken' || chosen === null) {
        refuse(Buffer.from([5, 0xff]));
        return null;
      }
      socket.write(Buffer.from([5, chosen]));
      at = chosen === PASSWORD ? 'login' : 'request';
      return greeting.length;
    }
    if (at === 'login') {
      const given = readCredentials(held);
      if (given === null) return 0;
      bot = known ?? (given === 'broken' ? null : byPassword(given.password));
      if (given === 'broken' || bot === null) {
        refuse(Buffer.from([1, 1]));
        return null;
      }
      socket.write(Buffer.from([1, 0]));
      at = 'request';
      return given.length;
    }
    return connectTo();
  };
  const connectTo = (): number | null => {
    const asked = readSocksRequest(held);
    if (asked === null) return 0;
    if (asked === 'broken' || bot === null) {
      refuse(socksAnswer(NOT_ALLOWED));
      return null;
    }
    if (asked.command !== CONNECT) {
      refuse(socksAnswer(NO_SUCH_COMMAND));
      return null;
    }
    const leave = bot.ask(asked.to, socket);
    asks();
    if (typeof leave === 'string') {
      refuse(socksAnswer(NOT_ALLOWED));
      return null;
    }
    socket.off('data', more);
    const rest = held.subarray(asked.length);
    void tunnel(bot, leave, { program: socket, first: rest, resolve }, (failure) => {
      if (failure === null) socket.write(socksAnswer(0));
      else hangUp(socket, socksAnswer(failure.isRefused ? NOT_ALLOWED : UNREACHABLE));
    });
    return null;
  };
  const more = (data: Buffer): void => {
    held = Buffer.concat([held, data]);
    for (let taken = step(); taken !== 0; taken = step()) {
      if (taken === null) return;
      held = held.subarray(taken);
    }
    if (held.length > MOST_BYTES) socket.destroy();
  };
  socket.on('data', more);
  more(first);
}
