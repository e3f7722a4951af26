import type { Socket } from 'node:net';

/** The port at which a sandboxed program asks for names, whichever address it takes for a name server. */
export const NAME_PORT = 53;

const HEADER = 12;
const MOST_QUESTION = 600;
const IDLE_MS = 30_000;
const TTL_S = 60;
const TYPE_A = 1;
const TYPE_AAAA = 28;
const ANSWERED = 0;
const NO_SUCH_NAME = 3;
const NOT_IMPLEMENTED = 4;

interface Question {
  readonly name: string;
  readonly type: number;
  /** Offset of the first byte behind the question. */
  readonly end: number;
}

/** Reads a DNS message with one question; null for anything else. */
export function readQuestion(message: Buffer): Question | null {
  const isQuery = message.length > HEADER && message.readUInt8(2) < 128 && message.readUInt16BE(4) === 1;
  if (!isQuery) return null;
  const labels: string[] = [];
  let at = HEADER;
  for (;;) {
    const size = message[at];
    if (size === undefined || size > 63) return null;
    at += 1;
    if (size === 0) break;
    const label = message.toString('latin1', at, at + size);
    if (!/^[\x21-\x2d\x2f-\x7e]+$/.test(label) || label.length !== size) return null;
    labels.push(label);
    at += size;
  }
  if (at + 4 > message.length || at - HEADER > 255) return null;
  return { name: labels.join('.'), type: message.readUInt16BE(at), end: at + 4 };
}

/** The answer to a question: an address, that there is none of this kind, or that there is no such name. */
function answerTo(message: Buffer, { name, type, end }: Question, standIn: (name: string) => string): Buffer {
  const isAddress = type === TYPE_A || type === TYPE_AAAA;
  const found = isAddress ? standIn(name) : '-';
  const parts = found.startsWith('-') ? [] : found.split('.').map(Number);
  const hasRecord = type === TYPE_A && parts.length === 4;
  const head = Buffer.from(message.subarray(0, end));
  const code = !isAddress ? NOT_IMPLEMENTED : parts.length === 4 ? ANSWERED : NO_SUCH_NAME;
  head.writeUInt16BE(0x81_80 | code, 2);
  head.writeUInt16BE(hasRecord ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  // Its name is that of the question.
  const record = hasRecord ? [0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, TTL_S, 0, 4, ...parts] : [];
  const answer = Buffer.concat([head, Buffer.from(record)]);
  const framed = Buffer.alloc(2);
  framed.writeUInt16BE(answer.length);
  return Buffer.concat([framed, answer]);
}

/**
 * Answers questions for names on a connection, as DNS over TCP has them. `standIn` gives the address that stands for a name; a text
 * that begins with `-` where the bot may not know it. Nothing is asked of any name server.
 */
export function serveNames(socket: Socket, first: Buffer, standIn: (name: string) => string): void {
  let held: Buffer = Buffer.alloc(0);
  const more = (data: Buffer): void => {
    held = Buffer.concat([held, data]);
    while (held.length >= 2) {
      const size = held.readUInt16BE(0);
      if (size > MOST_QUESTION) return void socket.destroy();
      if (held.length < 2 + size) return;
      const message = held.subarray(2, 2 + size);
      held = held.subarray(2 + size);
      const question = readQuestion(message);
      if (question === null) return void socket.destroy();
      socket.write(answerTo(message, question, standIn));
    }
  };
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on('data', more);
  socket.on('end', () => socket.end());
  more(first);
}
