import { readPathAndVersion } from './interpreter-version.ts';
import type { Dependencies, Installation, RuntimeDescriptor, RuntimeSummary } from './runtime.ts';
import { type OutputOfRun, placeIn, quote, type Trace, textOf } from './trace.ts';

/** Files that the projects of strategies share. */
const part = (name: string) => ({ from: `strategies/node/${name}`, to: name });
const TRADES = ['.platformignore', 'decimal.mjs', 'paper.mjs', 'prices.mjs'].map(part);
const LOOKS_AGAIN = ['.platformignore', 'decimal.mjs', 'prices.mjs', 'loop.mjs'].map(part);
const TRADES_AGAIN = [...TRADES, part('loop.mjs')];

export const NODE_SUMMARY = {
  family: 'node',
  label: 'JavaScript',
  runtimes: {
    nodejs20: { aliases: [], least: '20', image: 'node:20-bookworm-slim' },
    nodejs22: { aliases: [], least: '22', image: 'node:22-bookworm-slim' },
    nodejs24: { aliases: [], least: '24', image: 'node:24-bookworm-slim' },
  },
  templates: [
    { name: 'node', label: 'JavaScript (Node)', strategy: 'empty' },
    {
      name: 'typescript',
      label: 'TypeScript (Node)',
      strategy: 'empty',
      // For an editor and `tsc`: when it runs, the bot gets the SDK from its runner.
      copies: [{ from: 'sdk/node/index.d.ts', to: 'types/sdk.d.ts' }],
    },
    { name: 'node-grid', label: 'JavaScript (Node)', strategy: 'grid', copies: TRADES_AGAIN },
    { name: 'node-dca', label: 'JavaScript (Node)', strategy: 'dca', copies: TRADES },
    { name: 'node-price-alert', label: 'JavaScript (Node)', strategy: 'price-alert', copies: LOOKS_AGAIN },
    { name: 'node-rebalancer', label: 'JavaScript (Node)', strategy: 'rebalancer', copies: TRADES },
  ],
  languages: [
    {
      id: 'javascript',
      extensions: ['.js', '.mjs', '.cjs'],
      types: { file: 'node/index.d.ts', module: '@bot-platform/sdk' },
    },
    { id: 'typescript', extensions: ['.ts', '.mts', '.cts'] },
  ],
} as const satisfies RuntimeSummary;

const LAST_LINE = /^Node\.js v\d/;
const LOCATION = /^(?:file:\/\/|node:|\/|[A-Za-z]:\\).{1,500}:\d{1,7}$/;
const CARET = /^\s*\^+$/;
const FRAME = /^\s+at /;
const ERROR = /^(?:Uncaught )?\[?([A-Za-z_$][\w$.]{0,80}) ?(?:\[([A-Z][A-Z_0-9]{1,60})\])?(?::? ?)(.*)$/s;
const CODE = /^\s+code: '([A-Z][A-Z_0-9]{1,60})'/;
/** Most lines of Node's own report that are examined. */
const LONGEST = 120;
/** An error that was only printed must stand right at the end. */
const MOST_AFTER = 5;

interface Block {
  /** Places in `view`. */
  readonly header: number | null;
  readonly error: number;
  readonly end: number;
}

/** Node's own report of an uncaught error: from `file:line` to the version in its last line. */
function uncaught(text: (at: number) => string, count: number): Block | null {
  let end = count - 1;
  while (end >= 0 && !LAST_LINE.test(text(end))) end -= 1;
  if (end < 0) return null;
  let header = end;
  while (header >= 0 && end - header < LONGEST && !LOCATION.test(text(header))) header -= 1;
  if (header < 0 || !LOCATION.test(text(header))) return null;
  let error = header + 1;
  for (let at = header + 1; at < end && at < header + 8; at += 1) if (CARET.test(text(at))) error = at + 1;
  while (error < end && text(error) === '') error += 1;
  return error < end ? { header, error, end } : null;
}

/** An error that the bot printed with its stack before it ended itself. */
function printed(text: (at: number) => string, count: number): Block | null {
  let end = count - 1;
  while (end >= 0 && count - end <= MOST_AFTER && !FRAME.test(text(end))) end -= 1;
  if (end < 0 || !FRAME.test(text(end))) return null;
  let error = end;
  while (error > 0 && end - error < LONGEST && FRAME.test(text(error))) error -= 1;
  return /^(?:Uncaught )?[A-Za-z_$][\w$.]{0,80}Error\b/.test(text(error)) ? { header: null, error, end: count } : null;
}

/** The JavaScript error that ended a run, from the lines of one stream; null when they do not end with one. */
function readTrace(run: OutputOfRun, view: readonly number[]): Trace | null {
  const text = (at: number): string => {
    const line = run.lines[view[at] ?? -1];
    return line === undefined ? '' : textOf(line);
  };
  const block = uncaught(text, view.length) ?? printed(text, view.length);
  if (block === null) return null;
  const inside = Array.from({ length: block.end - block.error }, (_, step) => block.error + step);
  const [, type = 'Error', bracket, rest = ''] = ERROR.exec(text(block.error)) ?? [];
  const around = [...inside, ...(block.header === null ? [] : [block.header])];
  const own = around.find(
    (at) => placeIn(text(at), run.codeDir) !== null && (FRAME.test(text(at)) || at === block.header),
  );
  const named = inside.map((at) => CODE.exec(text(at))?.[1]).find((code) => code !== undefined);
  const heads = inside.filter((at) => !FRAME.test(text(at)) && /[A-Za-z0-9]/.test(text(at)));
  const source = block.header === null ? null : block.header + 1;
  const shown = [
    ...(block.header === null || placeIn(text(block.header), run.codeDir) === null
      ? []
      : [block.header, block.header + 1]),
    ...heads.slice(0, 4),
    ...(own === undefined ? [] : [own]),
  ];
  const lines = (places: readonly number[]): number[] => [...new Set(places)].flatMap((at) => view[at] ?? []);
  return {
    family: NODE_SUMMARY.family,
    type,
    message: rest.replace(/(?:\] \{|\{|\])$/, '').trim(),
    code: named ?? bracket ?? null,
    place: own === undefined ? null : placeIn(text(own), run.codeDir),
    source: source === null ? null : text(source),
    heads: lines(heads),
    shown: lines(shown),
  };
}

const LOCAL = /^(file|link):(.*)$/;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const own = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;

/** Dependencies of package.json with local folders made absolute, since they are installed from another folder. */
function productionManifest(manifest: object, absolute: Dependencies['absolute']) {
  let local = false;
  const resolved = (spec: unknown) => {
    const [, , path] = typeof spec === 'string' ? (LOCAL.exec(spec) ?? []) : [];
    if (path === undefined) return spec;
    local = true;
    return `file:${absolute(path)}`;
  };
  const production: Record<string, unknown> = {};
  for (const key of ['name', 'version', 'type', 'engines', 'overrides'])
    if (own(manifest, key) !== undefined) production[key] = own(manifest, key);
  for (const key of ['dependencies', 'optionalDependencies', 'devDependencies', 'peerDependencies']) {
    const group = own(manifest, key);
    if (isObject(group))
      production[key] = Object.fromEntries(Object.entries(group).map(([name, spec]) => [name, resolved(spec)]));
  }
  return { production, local };
}

function planInstallation({ json, lock, abi, absolute }: Dependencies): Installation | null {
  if (json === null) return null;
  const groups = [own(json, 'dependencies'), own(json, 'optionalDependencies')];
  if (!groups.some((group) => isObject(group) && Object.keys(group).length > 0)) return null;
  const { production, local } = productionManifest(json, absolute);
  const locked = lock !== null && !local ? { 'package-lock.json': lock } : null;
  const common = ['--omit=dev', '--no-audit', '--no-fund', '--install-links'];
  return {
    line: 'Installing the production dependencies of package.json',
    stamp: [JSON.stringify(production), lock ?? '', abi],
    always: local,
    tool: 'npm',
    isWindowsScript: true,
    args: () => (locked === null ? ['install', '--no-package-lock', ...common] : ['ci', ...common]),
    files: { 'package.json': JSON.stringify(production, null, 2), ...locked },
  };
}

/** JSON.parse throws the same class while a bot runs; only the loader compiles modules. */
const LOADER = /^\s+at (?:compileSourceTextModule|wrapSafe|#translate|ModuleLoader)\b/;

/** Bots in JavaScript: the Node of the host or a later one, npm for dependencies. */
export const NODE: RuntimeDescriptor = {
  summary: NODE_SUMMARY,
  interpreter: {
    program: 'node',
    runsHost: true,
    ask: ['-p', 'process.execPath + "\\n" + process.versions.node'],
    read: readPathAndVersion,
    describe: ({ program, version }) => `${program} is ${version}`,
    needs: (least) => `Node.js ${least} or later`,
    install: (least) => `Install Node.js ${least} or later (https://nodejs.org) and start the bot again.`,
    site: 'nodejs.org',
    name: 'Node',
  },
  args: ({ file }, runner) => [runner('node-runner.mjs'), file],
  heapFlag: (megabytes) => `--max-old-space-size=${megabytes}`,
  // Measured: Node 24 does not start below 768 MB whatever it uses.
  reservedMb: 1024,
  vendoring: {
    manifest: 'package.json',
    isJson: true,
    lock: 'package-lock.json',
    runsIn: 'target',
    place: { workFolder: 'node', overlay: 'node_modules' },
    copies: ['.npmrc'],
    // It holds absolute paths of this machine; without it the same dependencies give the same package.
    removes: ['node_modules/.package-lock.json', '.npmrc'],
    plan: planInstallation,
  },
  failure: {
    readTrace,
    exception: 'NODE_EXCEPTION',
    missingModule: {
      code: 'NODE_MODULE_MISSING',
      applies: ({ code }) => code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND',
      match: [/Cannot find (?:package|module) '([\w@./:~+%\\-]{1,300})'/],
      action: (module) =>
        /^(?:[./]|file:)/.test(module)
          ? `Put ${module} into the project, or correct the import, and publish a new version.`
          : `Add ${module} to the dependencies of package.json, raise the version and publish it.`,
    },
    syntaxError: {
      code: 'NODE_SYNTAX_ERROR',
      applies: ({ type }, { lines }) => type === 'SyntaxError' && lines.some(({ message }) => LOADER.test(message)),
    },
    special: [
      {
        code: 'UNHANDLED_REJECTION',
        applies: ({ code }) => code === 'ERR_UNHANDLED_REJECTION',
        say: ({ message }) => {
          const text = /rejected with the reason "(.{0,600})/.exec(message)?.[1];
          const reason = text === undefined ? '' : `: ${quote(text.replace(/"\.?$/, ''))}`;
          return `A promise of the bot was rejected and not handled${reason}.`;
        },
        action: 'Await the promise or give it a catch, and reject with an Error: then the log shows the line.',
      },
    ],
    outOfMemory: [/\b(JavaScript heap out of memory)/, /\b(Array buffer allocation failed)/],
  },
};
