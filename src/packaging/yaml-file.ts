import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
} from 'yaml';
import type { FileProblem } from '../contract/custom-bot.ts';
import { OverloadError, withDeadline } from './deadline.ts';
import { fileProblem, type Position, sizeProblem } from './file-problem.ts';

/** Largest YAML file; larger ones are refused before parsing. */
export const MAX_YAML_BYTES = 64 * 1024;
const MAX_ALIASES = 20;
const MAX_DEPTH = 32;

/** A well-formed YAML file: its value, and the places of all keys and values. */
export interface YamlFile {
  readonly value: unknown;
  readonly root: Node;
  /** The node of a value, undefined when there is none. */
  nodeAt(path: readonly string[]): Node | undefined;
  /** Place of a value, or of the nearest one around it that exists. */
  valuePosition(path: readonly string[]): Position;
  /** Place of a key, or of the nearest one around it that exists. */
  keyPosition(path: readonly string[]): Position;
}

const EXPLAINED: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'Indent with spaces; YAML does not allow tabs there.',
  BAD_INDENT: 'Check the indentation, and that every [ { and quote is closed.',
  MISSING_CHAR: 'Close every quote, [ and {.',
  UNEXPECTED_TOKEN: 'Check the spelling of this line; a text with ": " or " #" in it needs quotes.',
  BAD_DQ_ESCAPE: 'Write the text in single quotes, or double the backslash.',
  BLOCK_AS_IMPLICIT_KEY: 'A text with ": " in it needs quotes; else check the indentation.',
  IMPOSSIBLE: 'Nest less deeply.',
};

/** Returns the offset at which bracket nesting passes the limit, or -1; found without recursion. */
function tooDeepAt(text: string): number {
  let depth = 0;
  let offset = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth++;
    if (token === ']' || token === '}') depth--;
    if (depth > MAX_DEPTH) return offset;
    if (token.length > 1 || token.charCodeAt(0) > 0x1f || token === '\n' || token === '\r' || token === '\t')
      offset += token.length;
  }
  return -1;
}

type Fault = readonly [offset: number, message: string, hint: string];

/** Returns the offset of the tag before a value, which the node's own range leaves out. */
function tagStart(text: string, valueAt: number): number {
  const found = text.slice(Math.max(0, valueAt - 200), valueAt).search(/![^\s!]*!?\S*\s*$/);
  return found === -1 ? valueAt : Math.max(0, valueAt - 200) + found;
}

/** Faults that well-formed YAML may contain: tags, many aliases, odd or repeated keys. */
function forbidden(document: Document, text: string): Fault[] {
  const faults: Fault[] = [];
  let aliases = 0;
  visit(document, {
    Node: (_key, node, path) => {
      const at = node.range?.[0] ?? 0;
      if (isAlias(node) && ++aliases === MAX_ALIASES + 1)
        faults.push([at, `more than ${MAX_ALIASES} aliases (*name)`, 'Write the values out.']);
      if (isAlias(node) && path.some((outer) => isCollection(outer) && outer.anchor === node.source))
        faults.push([at, `*${node.source} stands inside what it refers to`, 'Write the values out.']);
      if (!isAlias(node) && node.tag !== undefined)
        faults.push([
          tagStart(text, at),
          `the tag ${node.tag} is not allowed`,
          'Remove the tag (the word that begins with "!").',
        ]);
      if (path.length > MAX_DEPTH * 2) {
        faults.push([at, `nested deeper than ${MAX_DEPTH} levels`, 'Nest less deeply.']);
        return visit.BREAK;
      }
      return undefined;
    },
    Map: (_key, map) => {
      const seen = new Set<string>();
      for (const pair of map.items) {
        const key: unknown = pair.key;
        if (!isScalar(key)) {
          faults.push([map.range?.[0] ?? 0, 'a key is not a plain word', 'Write keys as words: name: value']);
          continue;
        }
        const name = String(key.value);
        if (seen.has(name)) faults.push([key.range?.[0] ?? 0, `"${name}" appears twice`, 'Keep one of the two lines.']);
        if (name === '<<')
          faults.push([key.range?.[0] ?? 0, 'merge keys (<<) are not supported', 'Write the fields out.']);
        seen.add(name);
      }
    },
  });
  return faults;
}

function childOf(node: Node | undefined, key: string, document: Document) {
  const resolved = isAlias(node) ? node.resolve(document) : node;
  if (isMap(resolved)) {
    const pair = resolved.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
    return { key: pair?.key as Node | undefined, value: (pair?.value ?? undefined) as Node | undefined };
  }
  const item = isSeq(resolved) ? (resolved.items[Number(key)] as Node | undefined) : undefined;
  return { key: item, value: item };
}

function opened(document: Document, root: Node, lines: LineCounter, value: unknown): YamlFile {
  const place = (node: Node | undefined, fallback: Position): Position => {
    const offset = node?.range?.[0];
    if (offset === undefined) return fallback;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const walk = (path: readonly string[], last: 'key' | 'value') => {
    let node: Node | undefined = root;
    let at = place(root, { line: 1, column: 1 });
    for (const [i, part] of path.entries()) {
      const child: { key: Node | undefined; value: Node | undefined } = childOf(node, part, document);
      if (child.key === undefined) return { at, node: undefined };
      const isEnd = i === path.length - 1;
      at = place(isEnd && last === 'value' ? (child.value ?? child.key) : child.key, at);
      node = child.value;
    }
    return { at, node };
  };
  return {
    value,
    root,
    nodeAt: (path) => walk(path, 'value').node,
    valuePosition: (path) => walk(path, 'value').at,
    keyPosition: (path) => walk(path, 'key').at,
  };
}

function parse(text: string, file: string): YamlFile | { problems: FileProblem[] } {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const options = {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    strict: true,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter: lines,
  } as const;
  const documents = parseAllDocuments(text, options);
  const [document, second] = Array.isArray(documents) ? documents : [];
  const root = document?.contents ?? null;
  if (document !== undefined && document.errors.length > 0) {
    return {
      problems: document.errors.slice(0, 10).map((error) => {
        const hint = EXPLAINED[error.code] ?? 'Correct this line; it is not valid YAML.';
        return fileProblem(file, at(error.pos[0]), error.message, hint);
      }),
    };
  }
  if (document === undefined || root === null || !isMap(root)) {
    const message = root === null ? `${file} is empty` : `${file} must be a list of "field: value" lines`;
    return { problems: [fileProblem(file, { line: 1, column: 1 }, message, 'Begin with: name: my-bot')] };
  }
  const faults = forbidden(document, text);
  if (second !== undefined)
    faults.push([second.range[0], 'a second YAML document begins here', 'Remove the "---" line and what follows.']);
  if (faults.length > 0)
    return { problems: faults.map(([offset, message, hint]) => fileProblem(file, at(offset), message, hint)) };
  return opened(document, root, lines, document.toJS({ maxAliasCount: 10_000 }));
}

/**
 * Parses a YAML 1.2 file of a user: core schema, one document, no tags, few aliases, every key once, size and depth limited, and
 * a deadline over all of it. Never throws, whatever the text contains.
 */
export function readYaml(text: string, file: string): YamlFile | { problems: FileProblem[] } {
  const tooLarge = sizeProblem(text, file, MAX_YAML_BYTES);
  if (tooLarge !== null) return { problems: [tooLarge] };
  const start: Position = { line: 1, column: 1 };
  try {
    return withDeadline(() => {
      const deep = tooDeepAt(text);
      if (deep === -1) return parse(text, file);
      const lines = text.slice(0, deep).split('\n');
      const position = { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
      return {
        problems: [fileProblem(file, position, `nested deeper than ${MAX_DEPTH} levels`, 'Nest less deeply.')],
      };
    });
  } catch (error) {
    if (!(error instanceof OverloadError) && !(error instanceof ReferenceError)) throw error;
    const message = `${file} cannot be read: ${error.message}`;
    return { problems: [fileProblem(file, start, message, 'Write the file with fewer levels and fewer aliases.')] };
  }
}
