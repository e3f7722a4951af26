import { createScanner, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { PlatformError } from '../contract/errors.ts';

const BYTE_ORDER_MARK = /^\ufeff/;
/** `SyntaxKind.CommaToken`, a const enum that only a compiler of whole programs can read. */
const COMMA = 5;

/** Refuses a file that cannot be changed without the risk of damage. Throws INVALID_REQUEST. */
function refuse(text: string, at: number, file: string, what: string): never {
  const line = text.slice(0, at).split('\n').length;
  throw new PlatformError('INVALID_REQUEST', `${file} line ${line}: ${what}`, {
    hint: 'Correct the file, or put the entry in by hand.',
  });
}

/** Returns the object that JSON text with comments and trailing commas is. Throws INVALID_REQUEST for any other text. */
function rootOf(text: string, file: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text.replace(BYTE_ORDER_MARK, ' '), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined)
    refuse(text, first.offset, file, `the JSON is invalid (${printParseErrorCode(first.error)})`);
  return objectOf(text, file, root);
}

function objectOf(text: string, file: string, node: Node | undefined): Node {
  return node?.type === 'object' ? node : refuse(text, node?.offset ?? 0, file, 'there is no JSON object here');
}

const endOf = ({ offset, length }: Node): number => offset + length;

/** Returns the value of a member of an object. Of members with the same key the last one counts, as for those who read it. */
function member(object: Node, key: string): Node | undefined {
  return object.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1];
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

/** Returns the text with one more member at the end of an object, or with one more item, whose `key` is null. */
function withMember(text: string, container: Node, key: string | null, value: unknown): string {
  const style = styleOf(text);
  const open = container.offset;
  const close = endOf(container) - 1;
  const outer = indentAt(text, open);
  const indent = `${outer}${style.unit}`;
  const inner = `${style.newline}${indent}`;
  const added = `${key === null ? '' : `${JSON.stringify(key)}: `}${valueText(value, indent, style)}`;
  const last = container.children?.at(-1);
  if (last === undefined) {
    const kept = text.slice(open + 1, close).trimEnd();
    const end = `${style.newline}${outer}`;
    return `${text.slice(0, open + 1)}${inner}${added}${kept}${end}${text.slice(close)}`;
  }
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(last));
  const trailing = (scanner.scan() as number) === COMMA;
  const at = trailing ? scanner.getTokenOffset() + 1 : endOf(last);
  return `${text.slice(0, at)}${trailing ? '' : ','}${inner}${added}${trailing ? ',' : ''}${text.slice(at)}`;
}

/** The value at a path of keys, undefined if it is missing. Throws INVALID_REQUEST for invalid JSON. */
export function readJson(text: string, path: readonly string[], file: string): unknown {
  if (text.trim() === '') return undefined;
  let node = rootOf(text, file);
  for (const key of path) {
    const found = member(objectOf(text, file, node), key);
    if (found === undefined) return undefined;
    node = found;
  }
  return getNodeValue(node);
}

/**
 * Sets a value at a path of keys in JSON text (comments and trailing commas allowed), creating missing objects. Every
 * other character stays. Throws INVALID_REQUEST for invalid JSON.
 */
export function placeJson(text: string, path: readonly string[], value: unknown, file: string): string {
  const nested = (keys: readonly string[]): unknown => keys.reduceRight((inner, key) => ({ [key]: inner }), value);
  if (text.trim() === '') return `${JSON.stringify(nested(path), null, 2)}\n`;
  let node = rootOf(text, file);
  for (const [depth, key] of path.entries()) {
    const object = objectOf(text, file, node);
    const found = member(object, key);
    if (found === undefined) return withMember(text, object, key, nested(path.slice(depth + 1)));
    node = found;
  }
  return replaced(text, node, value);
}

function replaced(text: string, node: Node, value: unknown): string {
  const placed = valueText(value, indentAt(text, node.offset), styleOf(text));
  return `${text.slice(0, node.offset)}${placed}${text.slice(endOf(node))}`;
}

/**
 * Puts an item into the list under a top-level key of JSON text, replacing the one with the same `id`, else the first whose id is
 * old, else at its end. Throws INVALID_REQUEST for invalid JSON.
 */
export function placeInList(
  text: string,
  key: string,
  item: Readonly<Record<string, unknown>>,
  file: string,
  isOld: (id: unknown) => boolean = () => false,
): string {
  const list = text.trim() === '' ? undefined : member(rootOf(text, file), key);
  if (list === undefined) return placeJson(text, [key], [item], file);
  if (list.type !== 'array') refuse(text, list.offset, file, `"${key}" is not a list`);
  const withId = (isIt: (id: unknown) => boolean): Node | undefined =>
    list.children?.find((one) => one.type === 'object' && isIt(getNodeValue(one).id));
  const same = withId((id) => id === item.id) ?? withId(isOld);
  return same === undefined ? withMember(text, list, null, item) : replaced(text, same, item);
}
