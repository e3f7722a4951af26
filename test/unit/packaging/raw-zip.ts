import { crc32, deflateRawSync } from 'node:zlib';

/** A zip entry written byte by byte, so that archives of any program, and those that none would make, can be made. */
export interface RawZipEntry {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** Default 8, deflated. Content of any other method is stored as it is. */
  readonly method?: number;
  readonly flags?: number;
  /** System in the upper byte: 0 DOS (Explorer), 3 Unix. Default 3. */
  readonly system?: number;
  /** Unix mode with the kind of the entry. Default 0o100644, 0o040755 for a name with `/` at its end. */
  readonly mode?: number;
  readonly extra?: Buffer;
  /** What the list of entries says, when it should lie. */
  readonly crc?: number;
  readonly size?: number;
  /** Sizes and checksum follow the content, as a program writes them that cannot go back. */
  readonly hasDescriptor?: boolean;
  /** Sizes and place stand in an extra field of 64 bits. */
  readonly isZip64?: boolean;
  /** Where its content is said to begin: that of the entry of this number. */
  readonly at?: number;
}

const DESCRIPTOR = 0x8;

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

/** An extra field. */
export const extraField = (id: number, data: Buffer): Buffer => Buffer.concat([u16(id), u16(data.length), data]);

/** The field in which Info-ZIP writes the name in UTF-8 beside one in another encoding. */
export const unicodePath = (raw: Buffer, name: string): Buffer =>
  extraField(0x7075, Buffer.concat([Buffer.from([1]), u32(crc32(raw)), Buffer.from(name)]));

/** A whole zip of raw entries. */
export function rawZip(entries: readonly RawZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  const places: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content ?? '');
    const isFolder = name.at(-1) === 0x2f;
    const {
      method = isFolder ? 0 : 8,
      system = 3,
      mode = isFolder ? 0o040755 : 0o100644,
      extra = Buffer.alloc(0),
    } = entry;
    const data = method === 8 ? deflateRawSync(content) : content;
    const crc = entry.crc ?? crc32(content);
    const size = entry.size ?? content.length;
    const flags = (entry.flags ?? 0) | (entry.hasDescriptor === true ? DESCRIPTOR : 0);
    const sums = Buffer.concat([u32(crc), u32(data.length), u32(size)]);
    const times = Buffer.from([0, 0, 0x21, 0]);
    const common = Buffer.concat([u16(20), u16(flags), u16(method), times]);
    const local = entry.hasDescriptor === true ? Buffer.alloc(12) : sums;
    const head = Buffer.concat([u32(0x04034b50), common, local, u16(name.length), u16(0), name]);
    const tail = entry.hasDescriptor === true ? Buffer.concat([u32(0x08074b50), sums]) : Buffer.alloc(0);
    places.push(offset);
    const place = places[entry.at ?? places.length - 1] ?? 0;
    const wide = entry.isZip64 === true;
    const extras = wide
      ? Buffer.concat([extraField(1, Buffer.concat([u64(size), u64(data.length), u64(place)])), extra])
      : extra;
    const attributes = system === 3 || system === 19 ? mode * 0x10000 : isFolder ? 0x10 : 0x20;
    list.push(
      Buffer.concat([
        ...[u32(0x02014b50), u16((system << 8) | 20), common, u32(crc)],
        ...(wide ? [u32(0xffffffff), u32(0xffffffff)] : [u32(data.length), u32(size)]),
        ...[u16(name.length), u16(extras.length), u16(0), u16(0), u16(0), u32(attributes)],
        ...[u32(wide ? 0xffffffff : place), name, extras],
      ]),
    );
    parts.push(head, data, tail);
    offset += head.length + data.length + tail.length;
  }
  const records = Buffer.concat(list);
  const count = u16(entries.length);
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(records.length), u32(offset), u16(0)];
  return Buffer.concat([...parts, records, ...end]);
}
