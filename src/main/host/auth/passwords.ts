import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { PlatformError } from '../../../contract/errors.ts';

/** OWASP's second argon2id setting: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const SALT_BYTES = 16;
/** Log-ins hashed at once; each takes its memory. */
const AT_ONCE = 2;
/** Log-ins that wait for their turn; more would only time out. */
const MOST_WAITING = 64;

interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Buffer;
}

let working = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= MOST_WAITING) {
    throw new PlatformError('RATE_LIMITED', 'Too many passwords are being checked', {
      hint: 'Wait a few seconds and try again.',
      retryAfter: 5,
    });
  }
  if (working >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else working += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) working -= 1;
    else next();
  }
}

function derive(password: string, { memory, passes, lanes, salt }: Parameters, tagLength: number): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'), 'utf8');
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        argon2('argon2id', { message, nonce: salt, parallelism: lanes, tagLength, memory, passes }, (error, key) =>
          error === null ? resolve(key) : reject(error),
        );
      }),
  );
}

const plain = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/**
 * A password as it is stored: argon2id in the PHC text form, which carries its own parameters. This and the checks
 * below throw RATE_LIMITED while too many passwords wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, salt }, TAG_BYTES);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${plain(salt)}$${plain(tag)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Checks a password against its stored form. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, lanes, salt = '', tag = ''] = PHC.exec(stored) ?? [];
  if (memory === undefined) throw new Error('a stored password hash is damaged');
  const expected = Buffer.from(tag, 'base64');
  const given = await derive(
    password,
    { memory: Number(memory), passes: Number(passes), lanes: Number(lanes), salt: Buffer.from(salt, 'base64') },
    expected.length,
  );
  return timingSafeEqual(given, expected);
}

/** Takes as long as a real check, so that the time does not reveal whether a name exists. */
export async function verifyNothing(password: string): Promise<false> {
  await derive(
    password,
    { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, salt: Buffer.alloc(SALT_BYTES) },
    TAG_BYTES,
  );
  return false;
}
