import { invalid, type PlatformError } from '../contract/errors.ts';

const BLOCK = 512;
/** Largest extended header (long names): far above any path that is allowed. */
const MAX_EXTENDED = 64 * 1024;

function corrupt(message: string): PlatformError {
  return invalid('INVALID_PACKAGE', [
    { path: '', message: `The archive ${message}`, hint: 'Make the package again with `platform custom-bot deploy`.' },
  ]);
}

/** Size field of a header: octal digits, or big-endian binary behind a set first bit. */
function sizeOf(header: Uint8Array): number {
  const field = Buffer.from(header.subarray(124, 136));
  if (((field[0] ?? 0) & 0x80) !== 0) return field[0] === 0x80 ? Number(field.readBigUInt64BE(4)) : Number.NaN;
  const digits = field.toString('latin1').replaceAll('\0', ' ').trim();
  return digits === '' ? 0 : /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

/**
 * Checks the blocks of a tar stream beside the real reader, which accepts truncated and continued archives: after the
 * first empty block at least one more must follow, only empty bytes may, and none may be missing. Extended headers are
 * limited; entry types other than file, folder and name are left to the reader.
 */
export class TarEndCheck {
  #skip = 0;
  #header = Buffer.alloc(0);
  #zeros = 0;
  #ended = false;

  /** Checks the next bytes; throws INVALID_PACKAGE. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#ended) {
        if (chunk.subarray(at).some((byte) => byte !== 0)) throw corrupt('has more data after its end');
        this.#zeros += chunk.length - at;
        return;
      }
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.length - at);
        this.#skip -= step;
        at += step;
        continue;
      }
      const step = Math.min(BLOCK - this.#header.length, chunk.length - at);
      this.#header = Buffer.concat([this.#header, chunk.subarray(at, at + step)]);
      at += step;
      if (this.#header.length === BLOCK) this.#block();
    }
  }

  /** Call after the last byte; throws INVALID_PACKAGE when something is missing. */
  end(): void {
    if (!this.#ended || this.#zeros < BLOCK) throw corrupt('ends too early; the upload was cut');
  }

  #block(): void {
    const header = this.#header;
    this.#header = Buffer.alloc(0);
    if (header.every((byte) => byte === 0)) {
      this.#ended = true;
      return;
    }
    const size = sizeOf(header);
    const type = String.fromCharCode(header[156] ?? 0);
    if (!Number.isSafeInteger(size) || size < 0) throw corrupt('has an entry with an impossible size');
    if ('xgLK'.includes(type) && size > MAX_EXTENDED) throw corrupt('has an extended header that is too large');
    this.#skip = Math.ceil(size / BLOCK) * BLOCK;
  }
}
