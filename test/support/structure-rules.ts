/** A file as the rules see it: its path below src, and its text. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

const escaped = (name: string): string => name.replaceAll(/[.\\^$*+?()[\]{}|]/g, '\\$&');

/** What may stand before the name of an operation, and where. Everything else is a list beside the table. */
const CALLERS: readonly { readonly before: RegExp; readonly after?: RegExp; readonly where: RegExp }[] = [
  // The argument of a call, unless the call only looks a name up.
  {
    before: /(?<=[\w>])(?<!\b(?:has|includes|startsWith|endsWith|indexOf|Set|Map))\(\s*(?:[^()[\]'"`]*,\s*)?$/,
    where: /^/,
  },
  // The type of an answer, and the row itself.
  { before: /(?:\w<\s*(?:\w+,\s*)?|OPERATIONS\[)$/, where: /^/ },
  // A handler, and the type that tells which handlers a file has.
  { before: /(?:^|[{,;}\n])\s*$/, after: /^:/, where: /^main\/host\/api\// },
  { before: /\|\s*$/, where: /^main\/host\/api\// },
  // A tool of an assistant says by which operation it is allowed.
  { before: /\bneeds: $/, where: /^main\/host\/mcp\/tools\// },
  // Records of the audit are found by the name that they were stored with.
  { before: /\bwhere operation = $/, where: /^main\/host\/control\// },
];

/**
 * Names of operations that stand where nothing calls, handles or types one: compared, listed, or as values of an
 * object; and names that are put together, as well as texts that the names of a group begin with.
 */
export function operationNamesOutOfPlace({ path, text }: SourceText, names: readonly string[]): string[] {
  const groups = [...new Set(names.map((name) => name.split('.')[0] ?? ''))].map(escaped).join('|');
  const quoted = new RegExp(`(['"\`])(?:${names.map(escaped).join('|')})\\1`, 'g');
  const made = new RegExp(`\`(?:${groups})\\.\\$\\{[^\`]*\\}\`|(['"\`])(?:${groups})\\.\\1`, 'g');
  const out = [...text.matchAll(quoted)].filter(({ 0: name, index }) => {
    const before = text.slice(Math.max(0, index - 200), index);
    const after = text.slice(index + name.length, index + name.length + 20);
    return !CALLERS.some(
      (one) => one.where.test(path) && one.before.test(before) && (one.after === undefined || one.after.test(after)),
    );
  });
  return [...out, ...text.matchAll(made)].map(([found]) => found);
}

/** An import from one file to another. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Who may import what: ranks of folders, and the short lists of the clients. */
export interface Ranks {
  readonly rank: Readonly<Record<string, number>>;
  readonly clients: Readonly<Record<string, readonly string[]>>;
  /** Arrows of types alone that may lead upwards: from a folder to others. */
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** Files that may start a client. */
  readonly entries: readonly string[];
}

/** The ranked folder that a path is in, or the path itself where there is none. */
export function folderOf(path: string, rank: Ranks['rank']): string {
  const parts = path.split('/');
  for (let count = parts.length; count > 0; count--) {
    const folder = parts.slice(0, count).join('/');
    if (folder in rank) return folder;
  }
  return path;
}

/** Arrows that lead upwards, sideways, or from a client to what is not on its list. */
export function wrongArrows(arrows: readonly Arrow[], { rank, clients, types, entries }: Ranks): Arrow[] {
  return arrows.filter(({ from: file, to, typeOnly }) => {
    const from = folderOf(file, rank);
    const target = folderOf(to, rank);
    if (target === from) return false;
    const may = clients[from];
    if (may !== undefined) return !may.includes(target);
    if (target in clients && !entries.includes(file)) return true;
    if (typeOnly && types[from]?.includes(target) === true) return false;
    return (rank[target] ?? 99) >= (rank[from] ?? -1);
  });
}

/** Unit tests without a source of their name: `one.test.ts`, or `one.about-it.test.ts`, belongs to `one.ts`. */
export function testsWithoutSource(tests: readonly string[], sources: ReadonlySet<string>): string[] {
  return tests.filter((test) => {
    const stem = test.replace(/(?:\.long)?\.test\.tsx?$/, '');
    const stems = [stem, stem.replace(/\.[^./]+$/, '')];
    return !stems.some((one) => ['.ts', '.tsx', '.mjs', '.sh'].some((ending) => sources.has(`${one}${ending}`)));
  });
}

/**
 * Names of engines in code, comments and texts, whatever their case. Parts of paths, options and identifiers are none.
 * `words` are names that are also words of the language: only values, and what tells somebody to choose one, count.
 */
export function engineNames(
  { text }: SourceText,
  { names, words }: { readonly names: readonly string[]; readonly words: readonly string[] },
): string[] {
  const plain = names.filter((name) => !words.includes(name)).map(escaped);
  const common = words.map(escaped).join('|');
  const found = [
    ...text.matchAll(new RegExp(`(?<![\\w./-])(${plain.join('|')})(?![\\w-])`, 'gi')),
    ...text.matchAll(new RegExp(`(['"\`])(?:${common})\\1`, 'g')),
    ...text.matchAll(new RegExp(`(?<=options\\.engine |--engine |engine:? )(?:${common})\\b`, 'g')),
  ];
  return found.map(([name]) => name.replaceAll(/['"`]/g, ''));
}

/**
 * Lines of prose that share so many words in a row with one shortly above them. Code looks alike by nature. Rows of tables do as well:
 * two of one table that begin with the same words are the same.
 */
const ALIKE_WORDS = 10;
const NEAR_LINES = 10;

/** Where a document says the same twice: the two lines, and the words. */
export function saidTwice(text: string): string[] {
  const seen = new Map<string, number>();
  const found: string[] = [];
  const rows = new Map<string, number>();
  let isCode = false;
  for (const [at, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    if (!line.startsWith('|')) rows.clear();
    if (isCode) continue;
    if (line.startsWith('|')) {
      const named = line.split(/(?<!\\)\|/)[1]?.trim() ?? '';
      const before = rows.get(named);
      if (before !== undefined && /[a-z]/i.test(named)) found.push(`${before + 1} and ${at + 1}: ${named}`);
      rows.set(named, at);
      continue;
    }
    const words = line.match(/\S+/g) ?? [];
    const runs = words.slice(ALIKE_WORDS - 1).map((_, first) => words.slice(first, first + ALIKE_WORDS).join(' '));
    const twice = runs.find((run) => at - (seen.get(run) ?? Number.NEGATIVE_INFINITY) <= NEAR_LINES);
    if (twice !== undefined) found.push(`${(seen.get(twice) ?? 0) + 1} and ${at + 1}: ${twice}`);
    for (const run of runs) seen.set(run, at);
  }
  return found;
}
