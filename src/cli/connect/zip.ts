/** A file in a zip archive. */
export interface ZipFile {
  /** Path with forward slashes. */
  readonly name: string;
  readonly data: Buffer;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const UTF8_NAMES = 0x0800;
/** 1980-01-01, the first day that the format knows: equal files make equal archives. */
const DATE = 0x0021;
const FILE_MODE = 0o100644;
const UNIX = 3;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Numbers of 2 and 4 bytes, one after another, as the format writes them. */
function fields(...values: readonly (readonly [size: 2 | 4, value: number])[]): Buffer {
  const parts = values.map(([size, value]) => {
    const part = Buffer.alloc(size);
    if (size === 2) part.writeUInt16LE(value);
    else part.writeUInt32LE(value);
    return part;
  });
  return Buffer.concat(parts);
}

/** A zip archive of small files, stored as they are (PKWARE APPNOTE 6.3, without Zip64). */
export function zip(files: readonly ZipFile[]): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, data } of files) {
    const text = Buffer.from(name, 'utf8');
    const size = data.length;
    const common = fields(
      [2, VERSION],
      [2, UTF8_NAMES],
      [2, 0],
      [2, 0],
      [2, DATE],
      [4, crc32(data)],
      [4, size],
      [4, size],
      [2, text.length],
      [2, 0],
    );
    const body = Buffer.concat([fields([4, LOCAL]), common, text, data]);
    const made = fields([4, CENTRAL], [2, (UNIX << 8) | VERSION]);
    const place = fields([2, 0], [2, 0], [2, 0], [4, FILE_MODE * 0x10000], [4, offset]);
    entries.push(Buffer.concat([made, common, place, text]));
    bodies.push(body);
    offset += body.length;
  }
  const directory = Buffer.concat(entries);
  const count = files.length;
  const end = fields([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, directory.length], [4, offset], [2, 0]);
  return Buffer.concat([...bodies, directory, end]);
}
