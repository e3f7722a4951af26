import { PlatformError } from '../contract/errors.ts';

/** A table of the file: its name in parts, null for what stands before the first one, and its lines with the header. */
interface Section {
  readonly name: readonly string[] | null;
  readonly lines: readonly string[];
}

const PART = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))\s*(\.|$)/y;

/** The parts of a table's name such as `mcp_servers."bot-platform"`; null for an invalid name. */
function nameParts(text: string): string[] | null {
  const parts: string[] = [];
  PART.lastIndex = 0;
  for (;;) {
    const match = PART.exec(text);
    if (match === null) return null;
    parts.push(match[1] ?? match[2] ?? match[3] ?? '');
    if (match[4] === '') return parts;
  }
}

function headerName(line: string): string[] | null {
  const text = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#[^\n]*)?$/.exec(line)?.[1];
  return text === undefined ? null : nameParts(text);
}

/** The quotes of a string of several lines that is open after a line, else null; `open` are those open before it. */
function openAfter(line: string, open: string | null): string | null {
  let state = open;
  for (const [quotes] of line.matchAll(/"""|'''/g)) {
    if (state === null) state = quotes;
    else if (state === quotes) state = null;
  }
  return state;
}

function sectionsOf(text: string): Section[] {
  const sections: { name: readonly string[] | null; lines: string[] }[] = [{ name: null, lines: [] }];
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const name = open === null ? headerName(line) : null;
    open = openAfter(line, open);
    if (name === null) sections.at(-1)?.lines.push(line);
    else sections.push({ name, lines: [line] });
  }
  return sections;
}

const sameName = (a: readonly string[] | null, b: readonly string[]): boolean =>
  a !== null && a.length === b.length && a.every((part, index) => part === b[index]);

const KEY = /^\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))\s*(=|\.)/;

function keyOf(line: string): string | null {
  const match = KEY.exec(line);
  return match === null ? null : (match[1] ?? match[2] ?? match[3] ?? null);
}

/** The lines of a table without some of its keys; what goes on over several lines goes with its key. */
function withoutKeys(lines: readonly string[], keys: ReadonlySet<string>): string[] {
  let [dropping, depth] = [false, 0];
  return lines.filter((line) => {
    const key = depth > 0 ? null : keyOf(line);
    if (key !== null) dropping = keys.has(key);
    else if (depth === 0 && /^\s*(#[^\n]*)?$/.test(line)) dropping = false;
    const bare = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|#[^\n]*/g, '');
    depth += bare.split('[').length - bare.split(']').length;
    return !dropping;
  });
}

function refuse(file: string, what: string): never {
  throw new PlatformError('INVALID_REQUEST', `${file} has ${what}`, {
    hint: 'Put the entry in by hand.',
  });
}

/** The text of the table of this name and of its subtables; '' without one. */
export function tomlTable(text: string, name: readonly [string, string]): string {
  const own = sectionsOf(text).filter(({ name: parts }) => sameName(parts?.slice(0, 2) ?? null, name));
  return own.flatMap(({ lines }) => lines).join('\n');
}

/**
 * TOML text with these lines in the table of this name, which is made at the end where it is missing. `own` are the keys
 * that are replaced; its other keys, and every other line of the file, stay as they are. Throws INVALID_REQUEST where
 * the table is written in another form, such as inline, and where a string of several lines stands in it or has no end.
 */
export function placeToml(
  text: string,
  name: readonly [string, string],
  lines: readonly string[],
  own: ReadonlySet<string>,
  file: string,
): string {
  const [list, server] = name;
  if (text.split('\n').reduce<string | null>((open, line) => openAfter(line, open), null) !== null) {
    refuse(file, 'a string of several lines without an end');
  }
  const sections = sectionsOf(text);
  for (const section of sections) {
    const key = section.name === null ? list : sameName(section.name, [list]) ? server : null;
    if (key !== null && section.lines.slice(section.name === null ? 0 : 1).some((line) => keyOf(line) === key)) {
      refuse(file, `an entry ${key} that is not a table of its own`);
    }
  }
  const kept = sections.filter(
    ({ name: parts }) => !(parts?.length === 3 && sameName(parts.slice(0, 2), name) && own.has(parts[2] ?? '')),
  );
  const at = kept.findIndex((section) => sameName(section.name, name));
  if (kept[at]?.lines.some((line) => /"""|'''/.test(line))) {
    refuse(file, `a string of several lines in the table ${list}.${server}`);
  }
  const cr = text.includes('\r\n') ? '\r' : '';
  const added = lines.map((line) => `${line}${cr}`);
  if (at < 0) {
    const before = kept.flatMap((section) => section.lines).join('\n');
    const gap = before.trim() === '' ? '' : `${before.replace(/\s+$/, '')}${cr}\n${cr}\n`;
    return `${gap}[${list}.${server}]${cr}\n${added.join('\n')}\n`;
  }
  return kept
    .flatMap((section, index) => {
      if (index !== at) return section.lines;
      const [header = '', ...rest] = section.lines;
      return [header, ...added, ...withoutKeys(rest, own)];
    })
    .join('\n');
}
