import { counted } from '../../shared/counted.ts';
import { ownValue } from '../../shared/json.ts';

/** One row of a JSON tree. */
export interface JsonRow {
  /** Path of the row: a JSON pointer, with `[from-to]` for a part of a long list. */
  readonly id: string;
  readonly depth: number;
  /** Name or index under its parent; null at the root. */
  readonly name: string | null;
  readonly kind: 'object' | 'array' | 'part' | 'string' | 'number' | 'boolean' | 'null';
  /** The value itself, or a summary of its content. */
  readonly text: string;
  /** True when the row is open; null: there is nothing to open. */
  readonly open: boolean | null;
}

/** A longer list is shown in parts of this many, so that opening it costs no more. */
export const PART = 100;
/** A longer text is one line until it is opened. */
export const LONG_TEXT = 160;

/** Content of a list or an object, without a copy of it. */
interface Inside {
  readonly length: number;
  readonly name: (index: number) => string;
  readonly value: (index: number) => unknown;
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function insideOf(value: object): Inside {
  if (Array.isArray(value)) return { length: value.length, name: String, value: (index) => value[index] };
  const names = Object.keys(value);
  const nameAt = (index: number): string => names[index] ?? '';
  return { length: names.length, name: nameAt, value: (index) => ownValue(value, nameAt(index)) };
}

function summary(value: object, { length }: Inside): string {
  return Array.isArray(value) ? `[ ${counted(length, 'item')} ]` : `{ ${counted(length, 'key')} }`;
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

interface Range {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

function addRange(work: Work, id: string, depth: number, inside: Inside, { from, to }: Range): void {
  const count = to - from;
  if (count <= PART) {
    for (let index = from; index < to; index++) {
      const name = inside.name(index);
      add(work, `${id}/${escaped(name)}`, depth, name, inside.value(index));
    }
    return;
  }
  // Parts of parts, so that a list of a million opens into a hundred rows, not ten thousand.
  let size = PART;
  while (count / size > PART) size *= PART;
  for (let start = from; start < to; start += size) {
    const end = Math.min(to, start + size);
    const partId = `${id}[${start}-${end}]`;
    const open = work.isOpen(partId, Number.POSITIVE_INFINITY);
    const name = `${inside.name(start)} … ${inside.name(end - 1)}`;
    work.rows.push({ id: partId, depth, name, kind: 'part', text: counted(end - start, 'entry', 'entries'), open });
    if (open) addRange(work, id, depth + 1, inside, { from: start, to: end });
  }
}

function add(work: Work, id: string, depth: number, name: string | null, value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    addLeaf(work, id, depth, name, value);
    return;
  }
  const inside = insideOf(value);
  const open = inside.length === 0 ? null : work.isOpen(id, depth);
  const kind = Array.isArray(value) ? 'array' : 'object';
  work.rows.push({ id, depth, name, kind, text: summary(value, inside), open });
  if (open === true) addRange(work, id, depth + 1, inside, { from: 0, to: inside.length });
}

/** The visible rows of a value. `isOpen` is called only for rows that can be opened. */
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
