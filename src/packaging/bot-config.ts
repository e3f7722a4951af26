import { isMap, isScalar, type Node, type Pair, type ParsedNode } from 'yaml';
import type { z } from 'zod';
import { BotConfig, type FileProblem } from '../contract/custom-bot.ts';
import { DESCRIPTORS } from '../runtimes/all.ts';
import { findRuntime, RUNTIMES_BY_PACKAGE } from '../runtimes/descriptors.ts';
import { canonicalRuntime, RUNTIME_IDS, RUNTIME_NAMES } from '../runtimes/registry.ts';
import { didYouMean } from '../shared/did-you-mean.ts';
import { parseEntrypoint } from '../shared/parse-entrypoint.ts';
import { fileProblem, type Position } from './file-problem.ts';
import { pathFault } from './package-path-rules.ts';
import { permitFaults } from './permit-faults.ts';
import { readYaml, type YamlFile } from './yaml-file.ts';

/** Name of the file at the root of every custom bot. */
export const BOT_CONFIG_FILE = 'bot-config.yaml';

/** The content of bot-config.yaml, or everything that is wrong with it. */
export interface BotConfigReading {
  /** Present only without problems. */
  readonly config?: BotConfig;
  readonly problems: FileProblem[];
  readonly warnings: FileProblem[];
  /** Place of a field's value, or of the nearest existing field around a missing one. */
  readonly locate: (path: readonly string[]) => Position;
}

/** Files that bot-config.yaml names, itself included: they are packed even if .platformignore excludes them. */
export function namedFiles({ entrypoints: { bot, query }, schema, readme }: BotConfig): string[] {
  const entries = [bot, query].flatMap((entry) => (entry === undefined ? [] : [parseEntrypoint(entry).file]));
  return [BOT_CONFIG_FILE, schema.bot, ...entries, ...(readme === undefined ? [] : [readme])];
}

type Path = readonly string[];

const MAX_SHOWN = 50;

const KNOWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['name', 'description', 'version', 'author', 'type', 'runtime', 'command', 'entrypoints', 'prewarm_queries'],
    ...['schema', 'modes', 'permits', 'readme', 'metadata'],
  ],
  entrypoints: ['bot', 'query'],
  schema: ['bot'],
  metadata: ['categories', 'tags', 'instruments', 'exchanges', 'complexity'],
};

const HINTS: Readonly<Record<string, string>> = {
  name: 'Write lower-case letters, digits and "-", for example: name: sma-crossover',
  version: 'Write three numbers, for example: version: "1.0.0"',
  type: 'Write type: realtime (runs until it is stopped) or type: scheduled (runs on a cron schedule).',
  runtime: `Use one of: ${RUNTIME_IDS.join(', ')}`,
  command: 'Write on two lines: "command:" and below it, indented, "interpreter: awk".',
  'command.interpreter':
    'Write the name alone, for example: interpreter: awk. An owner of the host says which program has that name.',
  'command.arguments': 'Write a list of what stands before the file of the bot, for example: arguments: [-f]',
  'command.image': 'Write the name of an image that has the interpreter, for example: image: debian:trixie-slim',
  entrypoints: 'Write on two lines: "entrypoints:" and below it, indented, "bot: main.py".',
  'entrypoints.bot': 'Give the path of the program that runs, for example: bot: main.py (compiled: the binary).',
  'entrypoints.query': 'Give the path of the query program, or leave the line out.',
  prewarm_queries: 'Write true or false, or leave the line out.',
  modes: 'Write modes: [paper, live], or leave the line out.',
  permits: 'Write network, local, secrets and memory_mb below it, indented, or leave the line out.',
  'permits.network': 'Write a list, for example: [{host: api.example.com, port: 443, tls: true}]',
  'permits.network.host': 'Write a host name, for example: host: api.example.com. An address needs permits.local.',
  'permits.network.port': 'Write a port, for example: port: 443',
  'permits.network.tls': 'Write tls: true for https and wss, tls: false for everything else.',
  'permits.local': 'Write a list of ports, for example: [7497]',
  'permits.secrets': 'Write a list of names, for example: [KRAKEN_KEY]',
  'permits.memory_mb': 'Write a number of megabytes, for example: memory_mb: 300',
  schema: 'Write on two lines: "schema:" and below it, indented, "bot: bot-schema.json".',
  'schema.bot': 'Give the path of the JSON Schema of the configuration, for example: bot: bot-schema.json',
  readme: 'Give the path of the readme, for example: readme: README.md, or leave the line out.',
  description: 'Shorten it; the readme is the place for long texts.',
  author: 'Write a name of at most 100 characters.',
  metadata: 'Write categories, tags and complexity below it, indented.',
  'metadata.complexity': 'Use one of: beginner, intermediate, advanced',
};

/** Advice for a field; fields without their own are lists of labels. */
function hintFor(path: Path): string {
  return (
    HINTS[path.filter((key) => !/^\d+$/.test(key)).join('.')] ??
    'Write a list of words, for example: [momentum, stocks]'
  );
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'a group of fields',
  array: 'a list',
  boolean: 'true or false',
};

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a group of fields' : `a ${typeof value}`;
}

/** A field that should be text but that YAML reads as a number, boolean or date: quotes are the fix. */
function unquoted(path: Path, node: Node | undefined): { message: string; hint: string } | null {
  if (
    !isScalar(node) ||
    node.source === undefined ||
    (typeof node.value !== 'number' && typeof node.value !== 'boolean')
  )
    return null;
  const name = path.join('.');
  const key = path.at(-1) ?? '';
  const read = `${name} must be text, but without quotes YAML reads ${node.source} as the ${typeof node.value} ${node.value}`;
  if (name !== 'version')
    return { message: read, hint: `Put it in quotes: ${/^\d+$/.test(key) ? '' : `${key}: `}"${node.source}"` };
  const parts = node.source.split('.');
  const guess = /^[\d.]+$/.test(node.source) ? [...parts, '0', '0'].slice(0, 3).join('.') : '1.0.0';
  return { message: read, hint: `Write three numbers in quotes: version: "${guess}"` };
}

function describeIssue(issue: z.core.$ZodIssue, path: Path, node: Node | undefined): { message: string; hint: string } {
  const name = path.join('.');
  const hint = hintFor(path);
  const { input } = issue;
  if (input === undefined) return { message: `${name} is missing`, hint };
  if (name === 'type' && input === 'event')
    return { message: 'type "event" does not exist here: no event would ever start the bot', hint };
  const quotes = issue.code === 'invalid_type' && issue.expected === 'string' ? unquoted(path, node) : null;
  if (quotes !== null) return quotes;
  if (issue.code === 'invalid_type')
    return {
      message: `${name} must be ${ARTICLES[issue.expected] ?? issue.expected}, but it is ${kindOf(input)}`,
      hint,
    };
  if (issue.code === 'unrecognized_keys')
    return { message: `${name} has no field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`, hint };
  if (issue.code === 'invalid_value') {
    const meant = typeof input === 'string' ? didYouMean(input, issue.values.map(String)) : null;
    const allowed = issue.values.join(', ');
    const shown = typeof input === 'string' ? JSON.stringify(input) : kindOf(input);
    return {
      message: `${name} is ${shown}, but must be one of: ${allowed}`,
      hint: meant ? `Did you mean ${meant}?` : hint,
    };
  }
  if (name === 'runtime' && typeof input === 'string') {
    const meant = didYouMean(input, RUNTIME_NAMES);
    return { message: issue.message, hint: meant === null ? hint : `Did you mean ${meant}? ${hint}` };
  }
  const told = issue.message.startsWith(path.at(-1) ?? '') ? issue.message : `${name}: ${issue.message}`;
  return { message: told, hint };
}

/** Runtimes whose entries may name a main class. */
const WITH_MAIN_CLASS = DESCRIPTORS.filter(({ entry }) => entry?.hasMainClass === true)
  .flatMap(({ summary }) => Object.keys(summary.runtimes))
  .join(' and ');

type Fault = { readonly path: Path; readonly message: string; readonly hint: string };

/** Faults of the interpreter that a package names, or should. */
function interpreterFaults({ runtime, command }: BotConfig): Fault[] {
  const id = canonicalRuntime(runtime);
  const byPackage = id !== null && RUNTIMES_BY_PACKAGE.includes(id);
  if (byPackage === (command !== undefined)) return [];
  if (byPackage)
    return [
      {
        path: ['command'],
        message: `command is missing, which names the interpreter of ${id}`,
        hint: hintFor(['command']),
      },
    ];
  const only = RUNTIMES_BY_PACKAGE.join(' and ');
  const hint = `Remove it, or write runtime: ${only}. ${id ?? runtime} says itself what runs the program.`;
  return [{ path: ['command'], message: `command goes with the runtime ${only} only`, hint }];
}

/** Rules between fields and for paths, which the schema cannot express. */
function crossChecks(config: BotConfig): Fault[] {
  const found: Fault[] = interpreterFaults(config);
  const runtime = canonicalRuntime(config.runtime);
  const rule = runtime === null ? undefined : findRuntime(runtime)?.descriptor.entry;
  const { bot, query } = config.entrypoints;
  const entries: [Path, string | undefined][] = [
    [['entrypoints', 'bot'], bot],
    [['entrypoints', 'query'], query],
  ];
  for (const [path, entry] of entries) {
    if (entry === undefined) continue;
    const { file, mainClass } = parseEntrypoint(entry);
    const name = path.join('.');
    const wrong = pathFault(file);
    if (wrong !== null) found.push({ path, message: `${name} ${wrong.message}`, hint: wrong.hint });
    else if (mainClass !== null && rule?.hasMainClass !== true)
      found.push({
        path,
        message: `${name} names a main class, which only ${WITH_MAIN_CLASS} have`,
        hint: hintFor(path),
      });
    else if (rule !== undefined && !file.toLowerCase().endsWith(rule.extension))
      found.push({ path, message: `${name} must be a ${rule.extension} for ${runtime}`, hint: rule.hint });
  }
  const files: [Path, string | undefined][] = [
    [['schema', 'bot'], config.schema.bot],
    [['readme'], config.readme],
  ];
  for (const [path, file] of files) {
    const wrong = file === undefined ? null : pathFault(file.replace(/^\.\//, ''));
    if (wrong !== null) found.push({ path, message: `${path.join('.')} ${wrong.message}`, hint: wrong.hint });
  }
  return [...found, ...permitFaults(config.permits ?? {})];
}

function unknownKeys(yaml: YamlFile, file: string): FileProblem[] {
  const warnings: FileProblem[] = [];
  for (const [group, known] of Object.entries(KNOWN_KEYS)) {
    const node = group === '' ? yaml.root : yaml.nodeAt([group]);
    if (!isMap(node)) continue;
    for (const pair of node.items as Pair<ParsedNode, ParsedNode | null>[]) {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      if (key === '' || known.includes(key)) continue;
      if (warnings.length >= MAX_SHOWN) return warnings;
      const meant = didYouMean(key, known);
      const name = group === '' ? key : `${group}.${key}`;
      const hint = meant === null ? `Known here: ${known.join(', ')}` : `Did you mean ${meant}?`;
      const at = yaml.keyPosition(group === '' ? [key] : [group, key]);
      warnings.push(fileProblem(file, at, `${name} is not a known field; it is kept`, hint));
    }
  }
  return warnings;
}

/**
 * Reads bot-config.yaml: YAML 1.2 without tags, one document; strict about known fields, tolerant of others. Reports
 * every problem at once; never throws for anything the text contains.
 */
export function readBotConfig(text: string, fileName: string = BOT_CONFIG_FILE): BotConfigReading {
  const yaml = readYaml(text, fileName);
  if ('problems' in yaml) {
    return { problems: yaml.problems, warnings: [], locate: () => ({ line: 1, column: 1 }) };
  }
  const locate = (path: Path) => yaml.valuePosition(path);
  const warnings = unknownKeys(yaml, fileName);
  const parsed = BotConfig.safeParse(yaml.value, { reportInput: true });
  const faults = parsed.success
    ? crossChecks(parsed.data)
    : parsed.error.issues.slice(0, MAX_SHOWN).map((issue) => {
        const path = issue.path.map(String);
        return { path, ...describeIssue(issue, path, yaml.nodeAt(path)) };
      });
  const problems = faults.map((fault) => fileProblem(fileName, locate(fault.path), fault.message, fault.hint));
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { ...(parsed.success && problems.length === 0 ? { config: parsed.data } : {}), problems, warnings, locate };
}
