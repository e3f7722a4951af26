/** A fault in JSON text, with the offset where it is. */
export interface JsonFault {
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
}

/** A JSON text that was read: its value, and the offsets of values and keys by JSON pointer (`/properties/a`). */
export interface JsonSource {
  readonly value: unknown;
  readonly values: ReadonlyMap<string, number>;
  readonly keys: ReadonlyMap<string, number>;
}

/** Escapes one part of a JSON pointer. */
export function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\]+|\\.)*"/sy;
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;

class Fault extends Error {
  readonly offset: number;
  readonly hint: string;
  constructor(offset: number, message: string, hint: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/** Walks JSON text once, notes where everything stands, and stops at the first thing that is not JSON. */
class Scanner {
  readonly values = new Map<string, number>();
  readonly keys = new Map<string, number>();
  #at = 0;
  readonly #text: string;
  readonly #maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  all(): void {
    this.#value('', 0);
    if (this.#at < this.#text.length) this.#fail('text after the end of the JSON value', 'Remove what follows.');
  }

  #fail(message: string, hint: string, offset: number = this.#at): never {
    throw new Fault(offset, message, hint);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #peek(): string | undefined {
    this.#match(SPACE);
    return this.#text[this.#at];
  }

  #value(pointer: string, depth: number): void {
    const next = this.#peek();
    if (depth > this.#maxDepth) this.#fail(`nested deeper than ${this.#maxDepth} levels`, 'Nest less deeply.');
    this.values.set(pointer, this.#at);
    if (next === '{') this.#object(pointer, depth);
    else if (next === '[') this.#array(pointer, depth);
    else if (next === '"') this.#string();
    else if (this.#match(LITERAL) === null) this.#explain(next);
    this.#match(SPACE);
  }

  #string(): string {
    const start = this.#at;
    const found = this.#match(STRING);
    try {
      if (found !== null) return String(JSON.parse(found));
    } catch {
      this.#at = start; // A quoted text that JSON does not allow: told below, at its beginning.
    }
    return this.#fail(
      'a text that is not closed, has a bad escape, or a raw line break',
      'Close it with a double quote, and write \\\\ for a backslash and \\n for a line break.',
    );
  }

  #explain(next: string | undefined): never {
    if (next === undefined) this.#fail('the file ends in the middle', 'Close every { and [.');
    if (next === "'") this.#fail('single quotes are not JSON', 'Use double quotes.');
    if (next === '/') this.#fail('comments are not JSON', 'Move the comment into a "description" or "$comment".');
    if (next === '}' || next === ']')
      this.#fail(`a value is missing before "${next}"`, 'Remove the comma before it, or add the value.');
    this.#fail(
      `${JSON.stringify(next)} begins no JSON value`,
      'Write a text in double quotes, a number, true, false, null, {…} or […].',
    );
  }

  #object(pointer: string, depth: number): void {
    const seen = new Set<string>();
    this.#at++;
    if (this.#peek() === '}') {
      this.#at++;
      return;
    }
    for (;;) {
      const next = this.#peek();
      const offset = this.#at;
      if (next === '}') this.#fail('a comma before "}"', 'Remove the comma.');
      if (next !== '"') {
        if (next === undefined || next === "'" || next === '/') this.#explain(next);
        this.#fail('a key must be a text in double quotes', 'Write "key": value.');
      }
      const key = this.#string();
      if (seen.has(key)) this.#fail(`"${key}" appears twice`, 'Keep one of the two.', offset);
      seen.add(key);
      if (this.#peek() !== ':') this.#fail(`":" is missing after "${key}"`, 'Write "key": value.');
      this.#at++;
      const child = `${pointer}/${pointerPart(key)}`;
      this.keys.set(child, offset);
      this.#value(child, depth + 1);
      if (this.#end('}')) return;
    }
  }

  #array(pointer: string, depth: number): void {
    this.#at++;
    if (this.#peek() === ']') {
      this.#at++;
      return;
    }
    for (let index = 0; ; index++) {
      if (this.#peek() === ']') this.#fail('a comma before "]"', 'Remove the comma.');
      this.#value(`${pointer}/${index}`, depth + 1);
      if (this.#end(']')) return;
    }
  }

  /** Takes the comma after a value, or the closing bracket; true at the bracket. */
  #end(bracket: '}' | ']'): boolean {
    const next = this.#peek();
    if (next === bracket) {
      this.#at++;
      return true;
    }
    if (next === undefined) this.#explain(next);
    if (next !== ',') this.#fail(`"," or "${bracket}" is missing`, 'Put a comma between values.');
    this.#at++;
    return false;
  }
}

/** Reads JSON with positions: every key once, depth limited. Keys such as `__proto__` are data. */
export function readJson(text: string, maxDepth: number): { source: JsonSource } | { fault: JsonFault } {
  const scanner = new Scanner(text, maxDepth);
  try {
    scanner.all();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { fault: { offset: error.offset, message: error.message, hint: error.hint } };
  }
  return { source: { value: JSON.parse(text), values: scanner.values, keys: scanner.keys } };
}
