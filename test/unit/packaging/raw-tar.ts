import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

/** A tar entry written byte by byte, so that archives no packer would make can be made. */
export interface RawEntry {
  readonly name: string | Buffer;
  readonly type?: string;
  readonly content?: string | Buffer;
  readonly mode?: number;
  readonly link?: string;
  /** Size field, when it should lie. */
  readonly size?: number;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

/** One header block and its padded content. */
export function tarEntry(entry: RawEntry): Buffer {
  const content = Buffer.from(entry.content ?? '');
  const header = Buffer.alloc(512);
  Buffer.from(entry.name).copy(header, 0, 0, 100);
  header.write(octal(entry.mode ?? 0o644, 8), 100, 'latin1');
  header.write(octal(0, 8), 108, 'latin1');
  header.write(octal(0, 8), 116, 'latin1');
  header.write(octal(entry.size ?? content.length, 12), 124, 'latin1');
  header.write(octal(0, 12), 136, 'latin1');
  header.write('        ', 148, 'latin1');
  header.write(entry.type ?? '0', 156, 'latin1');
  header.write(entry.link ?? '', 157, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** An extended (pax) header that overrides fields of the next entry. */
export function paxHeader(fields: Readonly<Record<string, string>>, type = 'x'): Buffer {
  const lines = Object.entries(fields).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + String(rest).length;
    if (String(length).length > String(rest).length) length = rest + String(length).length;
    return `${length} ${key}=${value}\n`;
  });
  return tarEntry({ name: 'PaxHeader', type, content: lines.join('') });
}

export const END = Buffer.alloc(1024);

/** A whole `.tar.gz` of raw entries. */
export function tarGz(parts: readonly (RawEntry | Buffer)[], end: Buffer = END): Buffer {
  return gzipSync(Buffer.concat([...parts.map((part) => (Buffer.isBuffer(part) ? part : tarEntry(part))), end]));
}

/** A stream that gives a buffer in pieces. */
export function streamOf(bytes: Buffer, piece = 65_536): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += piece) pieces.push(bytes.subarray(at, at + piece));
  return Readable.from(pieces);
}
