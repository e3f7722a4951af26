import { Complexity } from '../../../../contract/custom-bot.ts';
import { RUNTIME_IDS } from '../../../../runtimes/registry.ts';

/** A field of bot-config.yaml as the editor completes and explains it. */
export interface ConfigField {
  /** Path of the field: its group, a dot, and its name. */
  readonly path: string;
  readonly doc: string;
  /** Valid values, where there are few; else values to begin with. */
  readonly values?: readonly string[];
  readonly insert: string;
}

/** Every field that is known, in the order in which they are written. */
export const CONFIG_FIELDS: readonly ConfigField[] = [
  { path: 'name', doc: 'Name of the custom bot: 3 to 50 of a-z 0-9 and "-".', insert: 'name: ' },
  { path: 'description', doc: 'What the bot does, in at most 500 characters.', insert: 'description: ' },
  {
    path: 'version',
    doc: 'Three numbers joined by dots. A published version never changes: raise it.',
    insert: 'version: 0.1.0',
  },
  { path: 'author', doc: 'Who has written the bot.', insert: 'author: ' },
  {
    path: 'type',
    doc: 'realtime: runs until it is stopped. scheduled: runs on a cron schedule.',
    values: ['realtime', 'scheduled'],
    insert: 'type: ',
  },
  {
    path: 'runtime',
    doc: 'What runs the program. Compiled bots name the runtime of their binary.',
    values: RUNTIME_IDS,
    insert: 'runtime: ',
  },
  {
    path: 'command',
    doc: 'The interpreter that runs the program, where the runtime leaves it to the package. An owner of the host allows it.',
    insert: 'command:\n  interpreter: ',
  },
  { path: 'command.interpreter', doc: 'Its name, such as awk; never a path.', insert: 'interpreter: ' },
  {
    path: 'command.arguments',
    doc: 'Arguments of the interpreter before the file of the program.',
    insert: 'arguments: []',
  },
  { path: 'command.image', doc: 'The image in which containers run it.', insert: 'image: ' },
  { path: 'entrypoints', doc: 'The programs in the package.', insert: 'entrypoints:\n  bot: ' },
  {
    path: 'entrypoints.bot',
    doc: 'Path of the program that runs; for compiled languages the binary, not the source.',
    insert: 'bot: ',
  },
  {
    path: 'entrypoints.query',
    doc: 'Path of the program that answers queries. It may be left out.',
    insert: 'query: ',
  },
  {
    path: 'prewarm_queries',
    doc: 'true: the query program may be started ahead of its question, and answers sooner. It must answer through an SDK.',
    values: ['true', 'false'],
    insert: 'prewarm_queries: true',
  },
  {
    path: 'modes',
    doc: 'The program trades with what PLATFORM_MODE says: paper money, or live. Without paper its runs count as unverified.',
    insert: 'modes: [paper, live]',
  },
  {
    path: 'permits',
    doc: 'What the program asks for besides its own folders. It is shown to everybody who publishes or deploys it.',
    insert: 'permits:\n  network: []',
  },
  {
    path: 'permits.network',
    doc: 'Where it connects to: host, port, and whether with TLS. One *. in front stands for one label.',
    insert: 'network:\n    - {host: api.example.com, port: 443, tls: true}',
  },
  {
    path: 'permits.local',
    doc: 'Ports of this machine and its local network, such as that of a gateway of a broker.',
    insert: 'local: []',
  },
  { path: 'permits.secrets', doc: 'Names of the secrets that its config refers to.', insert: 'secrets: []' },
  { path: 'permits.memory_mb', doc: 'Megabytes that it needs.', insert: 'memory_mb: 300' },
  { path: 'schema', doc: 'What describes the configuration.', insert: 'schema:\n  bot: bot-schema.json' },
  { path: 'schema.bot', doc: 'Path of the JSON Schema of the configuration.', insert: 'bot: bot-schema.json' },
  { path: 'readme', doc: 'Path of the readme, shown with the published version.', insert: 'readme: README.md' },
  { path: 'metadata', doc: 'Labels by which the custom bot is found.', insert: 'metadata:\n  categories: []' },
  { path: 'metadata.categories', doc: 'At most 10 labels, such as trading.', insert: 'categories: []' },
  { path: 'metadata.tags', doc: 'At most 20 labels.', insert: 'tags: []' },
  { path: 'metadata.instruments', doc: 'What it trades: at most 20 labels.', insert: 'instruments: []' },
  { path: 'metadata.exchanges', doc: 'Where it trades: at most 20 labels.', insert: 'exchanges: []' },
  {
    path: 'metadata.complexity',
    doc: 'For whom it is.',
    values: Complexity.options,
    insert: 'complexity: ',
  },
];

/** Returns the group to which a line of YAML belongs, by the lines above it; '' at the root. */
export function groupAt(linesAbove: readonly string[], indent: number): string {
  if (indent === 0) return '';
  for (const line of [...linesAbove].reverse()) {
    const found = /^(\s*)([A-Za-z_]+):/.exec(line);
    if (found !== null && (found[1] ?? '').length < indent) return found[2] ?? '';
  }
  return '';
}

/** Returns the field of a line, or null. */
export function fieldAt(linesAbove: readonly string[], line: string): ConfigField | null {
  const found = /^(\s*)([A-Za-z_]+):/.exec(line);
  if (found === null) return null;
  const group = groupAt(linesAbove, (found[1] ?? '').length);
  const path = group === '' ? found[2] : `${group}.${found[2]}`;
  return CONFIG_FIELDS.find((field) => field.path === path) ?? null;
}

/** Returns suggestions for the end of a line that has been typed so far. */
export function suggestionsAt(
  linesAbove: readonly string[],
  typed: string,
  allLines: readonly string[],
): readonly {
  readonly label: string;
  readonly insert: string;
  readonly doc: string;
  readonly kind: 'field' | 'value';
}[] {
  const field = fieldAt(linesAbove, typed);
  if (field !== null) {
    return (field.values ?? []).map((value) => ({
      label: value,
      insert: value,
      doc: field.doc,
      kind: 'value' as const,
    }));
  }
  const indent = /^\s*/.exec(typed)?.[0].length ?? 0;
  if (!/^\s*[A-Za-z_]*$/.test(typed)) return [];
  const group = groupAt(linesAbove, indent);
  const prefix = group === '' ? '' : `${group}.`;
  return CONFIG_FIELDS.filter(({ path }) => path.startsWith(prefix) && !path.slice(prefix.length).includes('.'))
    .filter(({ path }) => {
      const key = path.slice(prefix.length);
      return !allLines.some(
        (line, at) => fieldAt(allLines.slice(0, at), line)?.path === path && line.trim().startsWith(`${key}:`),
      );
    })
    .map(({ path, insert, doc }) => ({ label: path.slice(prefix.length), insert, doc, kind: 'field' as const }));
}
