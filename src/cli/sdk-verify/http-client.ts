import { connect, type Socket } from 'node:net';

/** An answer as its bytes tell it. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LF_END = Buffer.from('\n\n');

/** Status, length and body of the first answer in these bytes; null while it is not complete. */
function readAnswer(bytes: Buffer, isWhole: boolean): Answer | null {
  const crlf = bytes.indexOf(HEAD_END);
  const lf = bytes.indexOf(LF_END);
  if (crlf < 0 && lf < 0) return null;
  const [at, size] = crlf >= 0 && (lf < 0 || crlf < lf) ? [crlf, 4] : [lf, 2];
  const head = bytes.subarray(0, at).toString('latin1');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  const length = /^content-length:\s*(\d+)\s*$/im.exec(head)?.[1];
  const body = bytes.subarray(at + size);
  if (length === undefined) return isWhole ? { status, body } : null;
  return body.length >= Number(length) ? { status, body: body.subarray(0, Number(length)) } : null;
}

/**
 * Sends these parts to a port, `pauseMs` apart, and reads the first answer. Null when none came: the connection was ended or
 * reset without one, or `mostMs` is over.
 */
export function ask(
  port: number,
  parts: readonly (string | Uint8Array)[],
  { pauseMs = 0, mostMs = 15_000 }: { readonly pauseMs?: number; readonly mostMs?: number } = {},
): Promise<Answer | null> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1' });
    let heard: Buffer = Buffer.alloc(0);
    let timer: NodeJS.Timeout | undefined;
    const done = (answer: Answer | null): void => {
      clearTimeout(timer);
      clearTimeout(late);
      socket.destroy();
      resolve(answer);
    };
    const late = setTimeout(() => done(null), mostMs);
    const send = (at: number): void => {
      const part = parts[at];
      if (part === undefined || socket.destroyed) return;
      socket.write(part);
      if (pauseMs === 0) send(at + 1);
      else timer = setTimeout(() => send(at + 1), pauseMs);
    };
    socket.setNoDelay(true);
    socket.on('connect', () => send(0));
    socket.on('data', (bytes: Buffer) => {
      heard = Buffer.concat([heard, bytes]);
      const answer = readAnswer(heard, false);
      if (answer !== null) done(answer);
    });
    socket.on('end', () => done(readAnswer(heard, true)));
    // A reset after a complete answer is an answer: the host takes it as well.
    socket.on('error', () => done(readAnswer(heard, true)));
  });
}

interface Asked {
  readonly body?: string;
  readonly headers?: readonly string[];
  readonly end?: string;
  readonly method?: string;
}

/** The bytes of a request, with the headers of a host. */
export function request(path: string, asked: Asked = {}): Buffer {
  const { body = '', headers = ['Host: 127.0.0.1'], end = '\r\n' } = asked;
  const method = asked.method ?? (body === '' ? 'GET' : 'POST');
  const size = Buffer.byteLength(body);
  const lines = [`${method} ${path} HTTP/1.1`, ...headers, `Content-Length: ${size}`, 'Connection: close', '', ''];
  return Buffer.concat([Buffer.from(lines.join(end)), Buffer.from(body)]);
}

/** The JSON of an answer; the text itself where it is none. */
export function jsonOf({ body }: Answer): unknown {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
