/** What a JSON tree shows as one row. */
export interface JsonRow {
  /** Where it is: a JSON pointer, with `[from-to]` for a part of a long list. */
  readonly id: string;
  readonly depth: number;
  /** Name or index under its parent; null at the root. */
  readonly name: string | null;
  readonly kind: 'object' | 'array' | 'part' | 'string' | 'number' | 'boolean' | 'null';
  /** The value itself, or what is inside in a few words. */
  readonly text: string;
  /** Null: there is nothing to open. */
  readonly open: boolean | null;
}

/** A longer list is shown in parts of this many, so that opening it costs no more. */
export const PART = 100;
/** A longer text is one line until it is opened. */
export const LONG_TEXT = 160;

type Entry = readonly [name: string, value: unknown];

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function entriesOf(value: object): readonly Entry[] {
  return Array.isArray(value) ? value.map((item, index) => [String(index), item]) : Object.entries(value);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function summary(value: object): string {
  return Array.isArray(value)
    ? `[ ${counted(value.length, 'item', 'items')} ]`
    : `{ ${counted(Object.keys(value).length, 'key', 'keys')} }`;
}

interface Work {
  readonly rows: JsonRow[];
  readonly isOpen: (id: string, depth: number) => boolean;
}

function addLeaf(work: Work, id: string, depth: number, name: string | null, value: unknown): void {
  if (typeof value === 'string') {
    const long = value.length > LONG_TEXT || value.includes('\n');
    const open = long ? work.isOpen(id, Number.POSITIVE_INFINITY) : null;
    const text =
      long && open === false ? `${JSON.stringify(value.slice(0, LONG_TEXT)).slice(0, -1)}…` : JSON.stringify(value);
    work.rows.push({ id, depth, name, kind: 'string', text: open === true ? value : text, open });
    return;
  }
  const kind = value === null || value === undefined ? 'null' : typeof value === 'number' ? 'number' : 'boolean';
  work.rows.push({ id, depth, name, kind, text: String(value ?? null), open: null });
}

function addEntries(work: Work, id: string, depth: number, entries: readonly Entry[]): void {
  if (entries.length <= PART) {
    for (const [name, value] of entries) add(work, `${id}/${escaped(name)}`, depth, name, value);
    return;
  }
  // Parts of parts, so that a list of a million opens into ten rows, not ten thousand.
  let size = PART;
  while (entries.length / size > PART) size *= PART;
  for (let from = 0; from < entries.length; from += size) {
    const inside = entries.slice(from, from + size);
    const last = inside.length - 1;
    const name = `${inside[0]?.[0] ?? ''} … ${inside[last]?.[0] ?? ''}`;
    const partId = `${id}[${from}-${from + last}@${depth}]`;
    const open = work.isOpen(partId, Number.POSITIVE_INFINITY);
    work.rows.push({ id: partId, depth, name, kind: 'part', text: counted(inside.length, 'entry', 'entries'), open });
    if (!open) continue;
    if (size > PART) addEntries(work, partId, depth + 1, inside);
    else for (const [key, value] of inside) add(work, `${id}/${escaped(key)}`, depth + 1, key, value);
  }
}

function add(work: Work, id: string, depth: number, name: string | null, value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    addLeaf(work, id, depth, name, value);
    return;
  }
  const isEmpty = Object.keys(value).length === 0;
  const open = isEmpty ? null : work.isOpen(id, depth);
  const kind = Array.isArray(value) ? 'array' : 'object';
  work.rows.push({ id, depth, name, kind, text: summary(value), open });
  if (open === true) addEntries(work, id, depth + 1, entriesOf(value));
}

/** The rows of a value, down to what is closed. `isOpen` is asked only for what can be opened. */
export function jsonRows(value: unknown, isOpen: (id: string, depth: number) => boolean): readonly JsonRow[] {
  const work: Work = { rows: [], isOpen };
  add(work, '', 0, null, value);
  return work.rows;
}

/** The row above this one that holds it, or itself. */
export function parentIndex(rows: readonly JsonRow[], index: number): number {
  const depth = rows[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0; at--) if ((rows[at]?.depth ?? 0) < depth) return at;
  return index;
}
