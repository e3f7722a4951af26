import { PlatformError } from '../../contract/errors.ts';

interface Member {
  /** Null for an item of a list. */
  readonly key: string | null;
  readonly start: number;
  readonly end: number;
}

interface Container {
  readonly open: number;
  readonly close: number;
  readonly members: readonly Member[];
}

const BLANK = /[\s\ufeff]/;

class Scanner {
  readonly #text: string;
  readonly #file: string;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  /** Refuses a file that cannot be changed without the risk of damage. Throws INVALID_REQUEST. */
  refuse(at: number, what: string): never {
    const line = this.#text.slice(0, at).split('\n').length;
    throw new PlatformError('INVALID_REQUEST', `${this.#file} line ${line}: ${what}`, {
      hint: 'Correct the file, or leave out --write and put the entry in by hand.',
    });
  }

  /** Returns the offset of the next token after blanks and comments. */
  next(from: number): number {
    const text = this.#text;
    let at = from;
    for (;;) {
      while (at < text.length && BLANK.test(text[at] ?? '')) at++;
      const two = text.slice(at, at + 2);
      if (two !== '//' && two !== '/*') return at;
      const end = text.indexOf(two === '//' ? '\n' : '*/', at + 2);
      if (end < 0 && two === '/*') this.refuse(at, 'a comment does not end');
      at = end < 0 ? text.length : end + (two === '//' ? 1 : 2);
    }
  }

  /** Returns the end of the value that begins here. */
  #end(at: number): number {
    const char = this.#text[at] ?? '';
    if (char === '{' || char === '[') return this.container(at).close + 1;
    const form = char === '"' ? /"(?:[^"\\\n]|\\.)*"/y : /[\w+.-]+/y;
    form.lastIndex = at;
    if (!form.test(this.#text)) this.refuse(at, 'here is no JSON value');
    return form.lastIndex;
  }

  container(open: number): Container {
    const text = this.#text;
    const list = text[open] === '[';
    const members: Member[] = [];
    let at = this.next(open + 1);
    while (text[at] !== (list ? ']' : '}')) {
      let key: string | null = null;
      if (!list) {
        const keyEnd = text[at] === '"' ? this.#end(at) : this.refuse(at, 'a key in quotes is missing');
        key = String(JSON.parse(text.slice(at, keyEnd)));
        at = this.next(keyEnd);
        if (text[at] !== ':') this.refuse(at, 'a colon is missing');
        at = this.next(at + 1);
      }
      const end = this.#end(at);
      members.push({ key, start: at, end });
      at = this.next(end);
      if (text[at] === ',') at = this.next(at + 1);
      else if (text[at] !== (list ? ']' : '}')) this.refuse(at, 'a comma is missing');
    }
    return { open, close: at, members };
  }

  object(open: number): Container {
    if (this.#text[open] !== '{') this.refuse(open, 'here is no JSON object');
    return this.container(open);
  }

  root(): Container {
    const at = this.next(0);
    const whole = this.object(at);
    const rest = this.next(whole.close + 1);
    if (rest < this.#text.length) this.refuse(rest, 'something stands after the end');
    return whole;
  }
}

interface Style {
  readonly unit: string;
  readonly newline: string;
}

function styleOf(text: string): Style {
  const indents = [...text.matchAll(/\n([ \t]+)["}\]]/g)].map((match) => match[1] ?? '');
  const unit = indents.sort((a, b) => a.length - b.length)[0] ?? '  ';
  return { unit, newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** Returns the blanks at the start of the line around an offset. */
function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? '';
}

function valueText(value: unknown, indent: string, { unit, newline }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${newline}${indent}`);
}

const member = (container: Container, key: string): Member | undefined =>
  container.members.findLast((one) => one.key === key);

/** Returns the text with one more member at the end of a container; `key` is null for a list. */
function withMember(text: string, scan: Scanner, container: Container, key: string | null, value: unknown): string {
  const style = styleOf(text);
  const outer = indentAt(text, container.open);
  const indent = `${outer}${style.unit}`;
  const inner = `${style.newline}${indent}`;
  const added = `${key === null ? '' : `${JSON.stringify(key)}: `}${valueText(value, indent, style)}`;
  const last = container.members.at(-1);
  if (last === undefined) {
    const kept = text.slice(container.open + 1, container.close).trimEnd();
    const end = `${style.newline}${outer}`;
    return `${text.slice(0, container.open + 1)}${inner}${added}${kept}${end}${text.slice(container.close)}`;
  }
  const comma = scan.next(last.end);
  const trailing = text[comma] === ',';
  const at = trailing ? comma + 1 : last.end;
  return `${text.slice(0, at)}${trailing ? '' : ','}${inner}${added}${trailing ? ',' : ''}${text.slice(at)}`;
}

/** The value at a path of keys, undefined if it is missing. Throws INVALID_REQUEST for invalid JSON. */
export function readJson(text: string, path: readonly string[], file: string): unknown {
  if (text.trim() === '') return undefined;
  const scan = new Scanner(text, file);
  let container = scan.root();
  for (const [index, key] of path.entries()) {
    const found = member(container, key);
    if (found === undefined) return undefined;
    if (index < path.length - 1) container = scan.object(found.start);
    else return plainValue(text.slice(found.start, found.end));
  }
  return undefined;
}

/** Parses a value; null for one with comments, which this function cannot take apart. */
function plainValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Sets a value at a path of keys in JSON text (comments and trailing commas allowed), creating missing objects. Every
 * other character stays. Throws INVALID_REQUEST for invalid JSON.
 */
export function placeJson(text: string, path: readonly string[], value: unknown, file: string): string {
  const nested = (keys: readonly string[]): unknown => keys.reduceRight((inner, key) => ({ [key]: inner }), value);
  if (text.trim() === '') return `${JSON.stringify(nested(path), null, 2)}\n`;
  const scan = new Scanner(text, file);
  let container = scan.root();
  for (const [depth, key] of path.entries()) {
    const found = member(container, key);
    const rest = path.slice(depth + 1);
    if (found === undefined) return withMember(text, scan, container, key, nested(rest));
    if (rest.length === 0) return replaced(text, found, value);
    container = scan.object(found.start);
  }
  return text;
}

function replaced(text: string, { start, end }: Member, value: unknown): string {
  return `${text.slice(0, start)}${valueText(value, indentAt(text, start), styleOf(text))}${text.slice(end)}`;
}

/**
 * Puts an item into the list under a top-level key of JSON text, replacing the one with the same `id`, else at its end.
 * Throws INVALID_REQUEST for invalid JSON.
 */
export function placeInList(text: string, key: string, item: Readonly<Record<string, unknown>>, file: string): string {
  const scan = new Scanner(text, file);
  const found = text.trim() === '' ? undefined : member(scan.root(), key);
  if (found === undefined) return placeJson(text, [key], [item], file);
  if (text[found.start] !== '[') scan.refuse(found.start, `"${key}" is no list`);
  const list = scan.container(found.start);
  const same = list.members.find((one) => {
    const value = plainValue(text.slice(one.start, one.end));
    return typeof value === 'object' && value !== null && 'id' in value && value.id === item.id;
  });
  return same === undefined ? withMember(text, scan, list, null, item) : replaced(text, same, item);
}
