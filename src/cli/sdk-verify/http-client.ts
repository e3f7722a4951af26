import { connect, type Socket } from 'node:net';

/** An answer as its bytes tell it. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * What became of a request: an answer; `ended`, where the connection was refused, ended or reset without one; or `open`, where it
 * stayed open without an answer until the time was over.
 */
export type Heard = Answer | 'ended' | 'open';

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
 * Sends these parts to a port, `pauseMs` apart, and reads the first answer. It waits for `mostMs`.
 */
export function ask(
  port: number,
  parts: readonly (string | Uint8Array)[],
  { pauseMs = 0, mostMs = 15_000 }: { readonly pauseMs?: number; readonly mostMs?: number } = {},
): Promise<Heard> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1' });
    let bytes: Buffer = Buffer.alloc(0);
    let timer: NodeJS.Timeout | undefined;
    const done = (heard: Heard): void => {
      clearTimeout(timer);
      clearTimeout(late);
      socket.destroy();
      resolve(heard);
    };
    const late = setTimeout(() => done('open'), mostMs);
    const send = (at: number): void => {
      const part = parts[at];
      if (part === undefined || socket.destroyed) return;
      socket.write(part);
      if (pauseMs === 0) send(at + 1);
      else timer = setTimeout(() => send(at + 1), pauseMs);
    };
    socket.setNoDelay(true);
    socket.on('connect', () => send(0));
    socket.on('data', (more: Buffer) => {
      bytes = Buffer.concat([bytes, more]);
      const answer = readAnswer(bytes, false);
      if (answer !== null) done(answer);
    });
    socket.on('end', () => done(readAnswer(bytes, true) ?? 'ended'));
    // A reset after a complete answer is an answer: the host takes it as well.
    socket.on('error', () => done(readAnswer(bytes, true) ?? 'ended'));
  });
}

/** What became of a request, in words. */
export function heardWords(heard: Heard): string {
  if (heard === 'ended') return 'gets no answer: the connection ends';
  if (heard === 'open') return 'gets no answer, and the connection stays open';
  return `gets ${heard.status}`;
}

/** The status of an answer; 0 without one. */
export const statusOf = (heard: Heard): number => (typeof heard === 'string' ? 0 : heard.status);

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
