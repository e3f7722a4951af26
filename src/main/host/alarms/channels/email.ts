import { connect, type Socket } from 'node:net';
import { allowedAddress, type Reach } from '../allowed-address.ts';
import { bodyText } from '../message.ts';
import { beforeEnd, SEND_MS, withinTime } from '../request.ts';
import { AddressRefused, Rejected, Revoked, Unreachable } from '../send-errors.ts';
import { cut } from '../words.ts';
import type { SendMessage } from './channel.ts';

const SUBJECT_CHARS = 200;
const BODY_CHARS = 20_000;
/** The port on which a server encrypts from the first byte on; on any other it must offer STARTTLS, except on this machine. */
const TLS_PORT = 465;

/** Connects to an address that was checked. */
async function connected(host: string, port: number, reach: Reach, signal: AbortSignal): Promise<Socket> {
  const { address, family } = await allowedAddress(host, reach);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, family, signal });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Unreachable(`${host}:${port} could not be reached (${error.code ?? error.message})`)),
    );
    socket.once('connect', () => resolve(socket));
  });
}

const isLoopback = (address: string | undefined): boolean => address === '::1' || address?.startsWith('127.') === true;

function codeOf(error: unknown, name: 'code' | 'responseCode'): unknown {
  return error instanceof Error && name in error ? Object.getOwnPropertyDescriptor(error, name)?.value : undefined;
}

function judged(error: unknown): Error {
  if (error instanceof Unreachable || error instanceof AddressRefused) return error;
  const code = codeOf(error, 'code');
  const status = codeOf(error, 'responseCode');
  // The answer of the server stays out: it may quote what was sent.
  const said = `The mail server refused it (${[status, code].filter((one) => one !== undefined).join(' ')})`;
  if (code === 'EAUTH' && status !== 454) return new Revoked(`${said}: user name or password is wrong`);
  if (typeof status === 'number' && status >= 500) return new Rejected(said);
  return new Unreachable(status === undefined && code === undefined ? 'The mail server ended the connection' : said);
}

/** Sends by SMTP: encrypted, except to a server on this machine. */
export const email: SendMessage = async (settings, message, { reach, ended }) => {
  const { host = '', port = '', from = '', to = '', user = '', password = '' } = settings;
  const number = Number(port);
  const signal = withinTime(ended);
  let socket: Socket | null = null;
  try {
    socket = await beforeEnd(connected(host, number, reach, signal), signal);
    // Only a host that sends mail loads it.
    const { createTransport } = await import('nodemailer');
    const local = isLoopback(socket.remoteAddress);
    const transport = createTransport({
      host,
      port: number,
      connection: socket,
      secure: number === TLS_PORT,
      requireTLS: number !== TLS_PORT && !local,
      // A server on this machine has no certificate for it as a rule, and nobody listens in between.
      ignoreTLS: local && number !== TLS_PORT,
      ...(user === '' ? {} : { auth: { user, pass: password } }),
      greetingTimeout: SEND_MS,
      socketTimeout: SEND_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const sent = transport.sendMail({
      from,
      to,
      subject: cut(`[${message.severity}] ${message.title}`, SUBJECT_CHARS),
      text: `${bodyText(message, BODY_CHARS)}\n\nIt happened at ${message.at}. Bot Platform`,
      messageId: `<${message.id}@bot-platform.invalid>`,
    });
    await beforeEnd(sent, signal);
  } catch (error) {
    throw judged(error);
  } finally {
    socket?.destroy();
  }
};
