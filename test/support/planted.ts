import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Runs of this many bytes of a secret are looked for: shorter ones stand in ordinary text by chance. */
const WINDOW = 12;

/** How a program may print a value. */
export const ENCODINGS: Readonly<Record<string, (value: string) => string>> = {
  raw: (value) => value,
  'JSON text': (value) => JSON.stringify(value).slice(1, -1),
  'JSON in JSON': (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3),
  'JSON in ASCII': (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replaceAll(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  URL: (value) => encodeURIComponent(value),
  'URL in lower case': (value) => encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
  form: (value) => new URLSearchParams({ v: value }).toString().slice(2),
  XML: (value) =>
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  hex: (value) => Buffer.from(value).toString('hex'),
  'hex in capitals': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  base64: (value) => Buffer.from(value).toString('base64'),
  'base64 behind one byte': (value) => Buffer.from(`:${value}:`).toString('base64'),
  'base64 behind two bytes': (value) => Buffer.from(`u:${value}`).toString('base64'),
  base64url: (value) => Buffer.from(`user:${value}`).toString('base64url'),
};

/** The runs of characters by which a secret would be known again, at its ends without what its neighbours decide. */
export class Needles {
  readonly #windows = new Set<string>();

  /** `edge` characters at both ends are not the secret's alone. */
  add(text: string, edge = 0): void {
    const latin = Buffer.from(text).toString('latin1');
    const to = latin.length - edge;
    for (let at = edge; at + WINDOW <= to; at++) this.#windows.add(latin.slice(at, at + WINDOW));
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Up to ten places of secrets, with their surroundings. */
  findIn(bytes: Buffer): string[] {
    const text = bytes.toString('latin1');
    const found: string[] = [];
    for (let at = 0; at + WINDOW <= text.length && found.length < 10; at++) {
      if (!this.#windows.has(text.slice(at, at + WINDOW))) continue;
      found.push(JSON.stringify(text.slice(Math.max(0, at - 60), at + 60)));
      at += WINDOW;
    }
    return found;
  }
}

/** Every file below a folder by its path in it; links are none, also where they lead nowhere. */
export function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => lstatSync(join(dir, name)).isFile());
}

/** What stands in the files of a folder, by path; `except` names the files in which it must stand. */
export function findInFiles(dir: string, needles: Needles, except: RegExp | null): string[] {
  return filesBelow(dir)
    .filter((name) => except === null || !except.test(relative('.', name)))
    .flatMap((name) => needles.findIn(readFileSync(join(dir, name))).map((found) => `${name}: ${found}`));
}
