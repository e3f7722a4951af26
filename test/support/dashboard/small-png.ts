import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const SOURCE = 'Source';
/** Fewer make the files smaller: what lies between letter and ground need not be exact. */
const MOST_COLOURS = 64;
/** Colours of grounds, lines and letters: these are kept as they are. */
const EXACT_COLOURS = 36;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** How far two colours are apart in their most different part. */
function apart(a: number, b: number): number {
  const part = (shift: number): number => Math.abs(((a >> shift) & 255) - ((b >> shift) & 255));
  return Math.max(part(16), part(8), part(0));
}

function nearest(palette: readonly number[], colour: number): number {
  let best = 0;
  for (let i = 1; i < palette.length; i += 1) {
    if (apart(palette[i] ?? 0, colour) < apart(palette[best] ?? 0, colour)) best = i;
  }
  return best;
}

/** Some of the colours of a picture: those that are seen most, and of the others enough that none is far from one of them. */
function paletteOf(colours: readonly number[]): number[] {
  for (let step = 0; ; step += 1) {
    const palette = colours.slice(0, EXACT_COLOURS);
    for (const colour of colours.slice(EXACT_COLOURS)) {
      if (!palette.some((one) => apart(one, colour) <= step)) palette.push(colour);
      if (palette.length > MOST_COLOURS) break;
    }
    if (palette.length <= MOST_COLOURS) return palette;
  }
}

/** What tells two pictures of the browser apart without reading them. */
export const digestOf = (picture: Buffer): string => createHash('sha256').update(picture).digest('hex');

/** A picture of the browser with one byte for each pixel, a third of the size or less; it knows what it was made from. */
export function smallPng(picture: Buffer): Buffer {
  const { width, height, data } = PNG.sync.read(picture);
  const pixels = new Uint32Array(width * height);
  const counts = new Map<number, number>();
  for (let i = 0; i < pixels.length; i += 1) {
    const colour = ((data[i * 4] ?? 0) << 16) | ((data[i * 4 + 1] ?? 0) << 8) | (data[i * 4 + 2] ?? 0);
    pixels[i] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const colours = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour);
  const palette = paletteOf(colours);
  const places = new Map(colours.map((colour) => [colour, nearest(palette, colour)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows[y * (width + 1) + 1 + x] = places.get(pixels[y * width + x] ?? 0) ?? 0;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // 8 bits for each pixel, colours by number.
  head.set([8, 3, 0, 0, 0], 8);
  const colourTable = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('tEXt', Buffer.from(`${SOURCE}\0${digestOf(picture)}`, 'latin1')),
    chunk('PLTE', colourTable),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** True for a small picture that was made from exactly this one. */
export function isMadeFrom(small: Buffer, picture: Buffer): boolean {
  return small.includes(`${SOURCE}\0${digestOf(picture)}`, 0, 'latin1');
}
