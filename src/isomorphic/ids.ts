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
 * An identifier such as `bot_01k…` (wire.md section 1): prefix, 48 bits of milliseconds, 80 random bits; lower-case and
 * URL-safe; later ids of one prefix sort after earlier ones. Throws RangeError for an unusable prefix, a time outside
 * 48 bits, or fewer than ten random bytes.
 */
export function newId(prefix: string, nowMs: number, randomBytes: Uint8Array): string {
  checkPrefix(prefix);
  checkTime(nowMs);
  if (randomBytes.length < ID_RANDOM_BYTES) throw new RangeError(`an id needs ${ID_RANDOM_BYTES} random bytes`);
  return `${prefix}_${encodeTime(nowMs)}${encodeBytes(randomBytes)}`;
}

/**
 * Makes ids that grow strictly, also within one millisecond and when the clock is set back: then the time stays where it
 * was and the random part counts up. One source per process keeps the order across all prefixes.
 */
export class IdSource {
  readonly #now: () => number;
  readonly #random: (size: number) => Uint8Array;
  #lastMs = -1;
  #lastTime = '';
  #last = new Uint8Array(ID_RANDOM_BYTES);

  /** `now` gives milliseconds since the epoch, `random` that many unpredictable bytes. */
  constructor(now: () => number, random: (size: number) => Uint8Array) {
    this.#now = now;
    this.#random = random;
  }

  /** The next id; see newId. */
  next(prefix: string): string {
    const now = Math.floor(this.#now());
    if (now > this.#lastMs || !this.#countUp()) {
      this.#lastMs = Math.max(now, this.#lastMs + 1);
      checkTime(this.#lastMs);
      this.#lastTime = encodeTime(this.#lastMs);
      this.#last = this.#random(ID_RANDOM_BYTES).slice(0, ID_RANDOM_BYTES);
    }
    checkPrefix(prefix);
    return `${prefix}_${this.#lastTime}${encodeBytes(this.#last)}`;
  }

  /** Adds one to the random part; false when it was the greatest there is. */
  #countUp(): boolean {
    for (let i = ID_RANDOM_BYTES - 1; i >= 0; i--) {
      const value = ((this.#last[i] ?? 0) + 1) & 255;
      this.#last[i] = value;
      if (value !== 0) return true;
    }
    return false;
  }
}
