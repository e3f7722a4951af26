/** What stands on a line of TOML, as far as a change to a table needs to know. */
export interface TomlLine {
  readonly text: string;
  /** The name of the table that begins here; null for a line that is no header. */
  readonly header: { readonly name: readonly string[]; readonly isList: boolean } | null;
  /** The first part of the key that begins here; null for any other line. */
  readonly key: string | null;
  /** True for a line that is blank, or a comment alone. */
  readonly isBlank: boolean;
}

/** Text that is no TOML, or none that is read here; `message` says where and why. */
export class UnreadToml extends Error {}

type Open = '"""' | "'''" | null;

/** One part of a name, and what stands behind it. */
const PART = /[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))[ \t]*/y;
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g;
const ESCAPED: Readonly<Record<string, string>> = {
  ...{ b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' },
};

function unescaped(text: string): string {
  return text.replace(ESCAPE, (whole, four?: string, eight?: string, one = '') => {
    const code = Number.parseInt(four ?? eight ?? '', 16);
    const found = Number.isNaN(code) ? ESCAPED[one] : code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    if (found === undefined) throw new UnreadToml(`${whole} in a name means nothing`);
    return found;
  });
}

/** The parts of a name such as `mcp_servers."bot-platform"` from an offset on, and the offset behind it; null for no name. */
function nameAt(text: string, from: number): { readonly name: readonly string[]; readonly end: number } | null {
  const name: string[] = [];
  for (let at = from; ; at++) {
    PART.lastIndex = at;
    const match = PART.exec(text);
    if (match === null) return null;
    const [, basic, literal, bare] = match;
    name.push(basic === undefined ? (literal ?? bare ?? '') : unescaped(basic));
    at = PART.lastIndex;
    if (text[at] !== '.') return { name, end: at };
  }
}

/** The header that a line is; it begins with a bracket outside of any value. */
function headerOf(line: string): TomlLine['header'] {
  const isList = line.startsWith('[[');
  const brackets = isList ? ']]' : ']';
  const found = nameAt(line, brackets.length);
  const rest = found === null ? '' : line.slice(found.end);
  if (found === null || !rest.startsWith(brackets) || !/^\s*(#.*)?$/.test(rest.slice(brackets.length))) {
    throw new UnreadToml('the name of the table cannot be read');
  }
  return { name: found.name, isList };
}

function keyOf(line: string): string {
  const found = nameAt(line, 0);
  if (found === null || line[found.end] !== '=') throw new UnreadToml('the line is neither a table nor a key');
  return found.name[0] ?? '';
}

/** What is open after a line: a string of several lines, and brackets. */
function afterLine(text: string, before: { readonly open: Open; readonly depth: number }) {
  let { open, depth } = before;
  for (let at = 0; at < text.length; ) {
    if (open !== null) {
      // At its end a string may hold two quotes more.
      const end = (open === '"""' ? /(?:[^"\\]|\\.|"{1,2}(?!"))*?"{3,5}/y : /(?:[^']|'{1,2}(?!'))*?'{3,5}/y).exec(
        text.slice(at),
      );
      if (end === null) break;
      at += end[0].length;
      open = null;
      continue;
    }
    const char = text[at] ?? '';
    if (char === '#') break;
    if (char === '"' || char === "'") {
      const three = char.repeat(3) as '"""' | "'''";
      if (text.startsWith(three, at)) {
        open = three;
        at += 3;
        continue;
      }
      const whole = (char === '"' ? /^"(?:[^"\\]|\\.)*"/ : /^'[^']*'/).exec(text.slice(at));
      if (whole === null) throw new UnreadToml('a string has no end');
      at += whole[0].length;
      continue;
    }
    if (char === '[' || char === '{') depth += 1;
    if (char === ']' || char === '}') depth -= 1;
    if (depth < 0) throw new UnreadToml('a bracket closes nothing');
    at += 1;
  }
  return { open, depth };
}

/**
 * The lines of a TOML text with what begins on each. It reads names, strings, comments and brackets, and no values: what it cannot
 * read for sure is an error, because a change beside it could damage the file. Throws UnreadToml.
 */
export function readTomlLines(text: string): TomlLine[] {
  let state: { readonly open: Open; readonly depth: number } = { open: null, depth: 0 };
  const lines = text.split('\n').map((line, index): TomlLine => {
    try {
      const begins = state.open === null && state.depth === 0;
      const code = line.replace(/^[\ufeff \t]*/, '').trimEnd();
      const isBlank = begins && (code === '' || code.startsWith('#'));
      const header = begins && code.startsWith('[') ? headerOf(code) : null;
      const key = begins && !isBlank && header === null ? keyOf(code) : null;
      if (header === null) state = afterLine(line, state);
      return { text: line, header, key, isBlank };
    } catch (error) {
      if (error instanceof UnreadToml) error.message = `line ${index + 1}: ${error.message}`;
      throw error;
    }
  });
  if (state.open !== null) throw new UnreadToml('a string of several lines has no end');
  if (state.depth > 0) throw new UnreadToml('a bracket has no end');
  return lines;
}
