/** Base32 digits in ASCII order without i, l, o and u, so that ids sort by value and read aloud well. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;
const LATEST_MS = 2 ** 48 - 1;
const PREFIX = /^[a-z][a-z0-9]{0,15}$/;

/** Random bytes in one id: 80 bits. */
export const ID_RANDOM_BYTES = 10;

function encodeTime(ms: number): string {
  let text = '';
  let rest = ms;
  for (let i = 0; i < TIME_DIGITS; i++) {
    text = `${DIGITS[rest % 32]}${text}`;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Ten bytes as sixteen digits: five bytes make eight digits exactly. */
function encodeBytes(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes.subarray(0, ID_RANDOM_BYTES)) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += DIGITS[(pending >> bits) & 31];
    }
    pending &= (1 << bits) - 1;
  }
  return text;
}

function checkPrefix(prefix: string): void {
  if (!PREFIX.test(prefix))
    throw new RangeError(`"${prefix}" is no id prefix: use 1-16 of a-z and 0-9, a letter first`);
}

function checkTime(nowMs: number): void {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs > LATEST_MS) {
    throw new RangeError(`${nowMs} is no time for an id: whole milliseconds since the epoch, below 2^48`);
  }
}

/**
 * An identifier such as `bot_01k…`: prefix, 48 bits of milliseconds, 80 random bits; lower-case and URL-safe; later ids
 * of one prefix sort after earlier ones. Throws RangeError for an unusable prefix, a time outside 48 bits, or fewer
 * than ten random bytes.
 */
export function newId(prefix: string, nowMs: number, randomBytes: Uint8Array): string {
  checkPrefix(prefix);
  checkTime(nowMs);
  if (randomBytes.length < ID_RANDOM_BYTES) throw new RangeError(`an id needs ${ID_RANDOM_BYTES} random bytes`);
  return `${prefix}_${encodeTime(nowMs)}${encodeBytes(randomBytes)}`;
}

/** Two digits for each value of ten bits: half the work of one at a time. */
const PAIRS = Array.from({ length: 1024 }, (_, i) => `${DIGITS[i >> 5]}${DIGITS[i & 31]}`);
/** Values of the lower half of the random part: five bytes. */
const LOW_VALUES = 2 ** 40;

function encodeLow(low: number): string {
  const high = Math.floor(low / 2 ** 20);
  const rest = low % 2 ** 20;
  return `${PAIRS[high >> 10]}${PAIRS[high & 1023]}${PAIRS[rest >> 10]}${PAIRS[rest & 1023]}`;
}

/**
 * Makes ids that grow strictly, also within one millisecond and when the clock is set back: the time then stays and the
 * random part counts up. One source per process keeps the order across all prefixes.
 */
export class IdSource {
  readonly #now: () => number;
  readonly #random: (size: number) => Uint8Array;
  #lastMs = -1;
  /** Time and upper half of the random part, as digits. */
  #head = '';
  #low = LOW_VALUES;

  /** `now` gives milliseconds since the epoch, `random` that many unpredictable bytes. */
  constructor(now: () => number, random: (size: number) => Uint8Array) {
    this.#now = now;
    this.#random = random;
  }

  /** The next id; see newId. */
  next(prefix: string): string {
    checkPrefix(prefix);
    const now = Math.floor(this.#now());
    this.#low += 1;
    if (now > this.#lastMs || this.#low >= LOW_VALUES) this.#begin(Math.max(now, this.#lastMs + 1));
    return `${prefix}_${this.#head}${encodeLow(this.#low)}`;
  }

  /** A new random part. When the old one cannot count further, the time runs ahead by a millisecond. */
  #begin(ms: number): void {
    checkTime(ms);
    const random = this.#random(ID_RANDOM_BYTES);
    this.#lastMs = ms;
    this.#head = `${encodeTime(ms)}${encodeBytes(random.subarray(0, 5))}`;
    this.#low = random.subarray(5, ID_RANDOM_BYTES).reduce((value, byte) => value * 256 + byte, 0);
  }
}
