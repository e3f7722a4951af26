import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS, type Operation } from '../src/contract/operations.ts';
import { SUMMARIES } from '../src/runtimes/all.ts';
import { RUNTIME_NAMES, TEMPLATE_NAMES } from '../src/runtimes/registry.ts';
import { anchorsOf } from './support/documents.ts';
import {
  engineNames,
  folderOf,
  operationNamesOutOfPlace,
  type Ranks,
  saidTwice,
  testsWithoutSource,
  wrongArrows,
} from './support/structure-rules.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

/**
 * Folders from the bottom up: a file may import its own folder and folders of a smaller rank, never one of the same
 * rank or above (docs/architecture.md).
 */
const RANK: Readonly<Record<string, number>> = {
  runtimes: -1,
  contract: 0,
  shared: 1,
  node: 2,
  packaging: 2,
  gate: 3,
  project: 3,
  preload: 3,
  'renderer/host-clock.ts': 3,
  cli: 4,
  'renderer/components': 4,
  'renderer/data': 4,
  'renderer/pages': 5,
  'renderer/app': 6,
  // What a guard is and when one is looser: a restore compares guards before a host has any.
  'main/host/ledger/decimal.ts': 2,
  'main/host/guards/guard-spec.ts': 3,
  'main/host/control': 4,
  'main/host/ledger': 4,
  'main/host/state': 4,
  'main/host/auth': 5,
  'main/host/catalog': 5,
  'main/host/engine': 5,
  'main/host/feed': 5,
  'main/host/logs': 5,
  'main/host/projects': 5,
  'main/host/schedule': 5,
  'main/host/arming': 5,
  'main/host/vault': 5,
  'main/host/alarms': 6,
  'main/host/gate': 6,
  'main/host/backup': 6,
  'main/host/bots': 7,
  'main/host/query': 7,
  'main/host/guards': 8,
  'main/host/api': 9,
  'main/host/http': 10,
  'main/host/mcp': 10,
  'main/host/compose': 11,
  'main/host/inspect': 11,
  'main/desktop': 12,
  'main/archive.ts': 12,
  'main/egress-gate.ts': 12,
  'main/inspect.ts': 12,
  'main/serve.ts': 12,
  'main/index.ts': 13,
};
/**
 * Programs that are clients of a host, with all that each may import: nothing that runs in a host. The desktop app starts
 * one as a process; the page ships no schemas, no Node and nothing of the packaging.
 */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  cli: ['contract', 'runtimes', 'shared', 'node', 'packaging', 'project'],
  preload: ['contract', 'shared'],
  'main/desktop': ['contract', 'runtimes', 'shared', 'node'],
  'renderer/host-clock.ts': [],
  'renderer/components': ['contract', 'shared', 'renderer/host-clock.ts'],
  'renderer/data': ['contract', 'runtimes', 'shared', 'renderer/host-clock.ts'],
  'renderer/pages': [
    'contract',
    'runtimes',
    'shared',
    'renderer/host-clock.ts',
    'renderer/components',
    'renderer/data',
  ],
  'renderer/app': ['contract', 'runtimes', 'shared', 'renderer/components', 'renderer/data', 'renderer/pages'],
};
const RANKS: Ranks = {
  rank: RANK,
  clients: CLIENTS,
  types: {
    // Descriptors name codes and fields of the wire, whose list of runtimes they are.
    runtimes: ['contract'],
  },
  entries: ['main/index.ts'],
};
/** Where an engine may be named outside of its own folder, and why. Everything else asks the engine or its EngineInfo. */
const NAMES_ENGINES: Readonly<Record<string, string>> = {
  'contract/engine-choices.ts': 'the words of options.engine and of the setting',
  'main/inspect.ts': 'asks the engine about itself for `platform doctor`',
  'main/host/compose/build-engines.ts': 'makes the engines of a host',
  'main/host/control/migrations/0006-bot-engine.ts': 'the engine of bots that were stored before there were two',
  'main/host/logs/mask/token-formats.ts': 'who gives out a token, not an engine',
  'main/host/logs/mask/rules.ts': 'who writes a file of keys, not an engine',
  'cli/doctor/inspection-checks.ts': 'the published id of a check, and the commands that mend what it finds',
};
/** Where an engine's folder may be imported from outside: what makes the engines, and the look of `platform doctor`. */
/** Their names; one that is also a word of the language is looked for as a value and beside the word engine. */
const ENGINES = { names: ['docker', 'process'], words: ['process'] };
const IMPORTS_ENGINES = new Set(['main/host/compose/build-engines.ts', 'main/inspect.ts']);
/** Unit tests of no single file: all documents, and how every text ends its lines. */
const ABOUT_ALL = new Set(['docs/docs.test.ts', 'docs/line-ends.test.ts']);
const GLOSSARY = 'docs/glossary.md';
/** Longest file, in lines. Functions are held to 150 lines by biome.json. */
const LONGEST = 500;
/** Most files that one imports. */
const MOST_IMPORTS = 40;
/** Files that are lists of what there is: the commands. */
const LISTS = new Set(['cli/command-registry.ts']);

interface Source {
  readonly path: string;
  readonly folder: string;
  readonly lines: number;
  readonly imports: readonly { readonly to: string; readonly typeOnly: boolean }[];
}

function sources(): Source[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') || name.endsWith('.tsx'))
    .map((path) => {
      const text = readFileSync(join(SRC, path), 'utf8');
      const found = text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'"]*?from\s+)?['"]([^'"]+)['"]/gm);
      const lazy = text.matchAll(/import\(\s*['"]([^'"]+)['"]\s*\)/g);
      const imports = [
        ...[...found].map((match) => ({ to: match[2] ?? '', typeOnly: match[1] !== undefined })),
        ...[...lazy].map((match) => ({ to: match[1] ?? '', typeOnly: false })),
      ];
      return { path, folder: folderOf(path, RANK), lines: text.split('\n').length, imports };
    });
}

function resolved(from: Source, to: string): string {
  return relative(SRC, resolve(join(SRC, dirname(from.path)), to)).replaceAll('\\', '/');
}

/** The names that the glossary says are replaced: the last column of its tables. */
function replacedNames(): string[] {
  const rows = readFileSync(join(ROOT, GLOSSARY), 'utf8').matchAll(/^\|.+\|(.*)\|$/gm);
  return [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

/** Matches any of these names as a whole: no longer identifier or file name that contains one. */
function anyOf(names: readonly string[]): RegExp {
  const whole = names.map((name) => name.replace(/[^\w\s-]/g, '\\$&') + (/\w$/.test(name) ? '(?![\\w-])' : ''));
  return new RegExp(`(?<![\\w-])(?:${whole.join('|')})`, 'g');
}

/** Texts of ours, by path: code, tests and documents. */
function texts(): (readonly [path: string, text: string])[] {
  const folders = ['src', 'test', 'docs', 'scripts', 'bench'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  return ['README.md', 'CONTRIBUTING.md', ...folders]
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.(tsx?|mjs|md|css)$/.test(path) && path !== GLOSSARY && !path.includes('/node_modules/'))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const);
}

/** Whether a mention such as `docs/api.md#keys` leads to a document and its anchor: from the root, resources or the file. */
function isThere(path: string, mention: string): boolean {
  const [target = '', anchor] = mention.split('#');
  const bases = [ROOT, join(ROOT, 'resources'), join(SRC, dirname(path))];
  const document = bases.map((base) => join(base, target)).find((file) => existsSync(file));
  if (document === undefined) return false;
  return anchor === undefined || anchorsOf(readFileSync(document, 'utf8')).includes(anchor);
}

const all = sources();
const local = all.flatMap((from) =>
  from.imports
    .filter((one) => one.to.startsWith('.'))
    .map((one) => ({ from, typeOnly: one.typeOnly, to: resolved(from, one.to) })),
);

describe('structure', () => {
  it('knows every folder', () => {
    const types = new Set(['renderer/vite-env.d.ts']);
    const unknown = all.filter(({ path, folder }) => RANK[folder] === undefined && !types.has(path));
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  it('imports only downwards', () => {
    const arrows = local.map(({ from, to, typeOnly }) => ({ from: from.path, to, typeOnly }));
    const wrong = wrongArrows(arrows, RANKS);
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('has no import cycle, not of types alone either', () => {
    const edges = Map.groupBy(local, (edge) => edge.from.path);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      if (done.has(path) || trail.includes(path)) return;
      for (const edge of edges.get(path) ?? []) visit(edge.to, [...trail, path]);
      done.add(path);
    };
    for (const file of all) visit(file.path, []);
    expect(cycles).toEqual([]);
  });

  it('has each unit test beside the name of the file that it tests', () => {
    const roots: Readonly<Record<string, string>> = {
      installers: 'installers',
      scripts: 'scripts',
      support: 'test/support',
    };
    const files = new Set(
      ['src', ...Object.values(roots)].flatMap((root) =>
        readdirSync(join(ROOT, root), { recursive: true, encoding: 'utf8' }).map(
          (name) => `${root}/${name.replaceAll('\\', '/')}`,
        ),
      ),
    );
    const tests = readdirSync(join(ROOT, 'test/unit'), { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.test.ts') && !ABOUT_ALL.has(name))
      .map((name) => {
        const [root = ''] = name.split('/');
        return root in roots ? `${roots[root]}${name.slice(root.length)}` : `src/${name}`;
      });
    expect(testsWithoutSource(tests, files)).toEqual([]);
  });

  it('keeps electron in its folder', () => {
    const wrong = all.filter(
      (file) => file.imports.some((one) => one.to === 'electron') && !/^(main\/desktop|preload)\//.test(file.path),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('opens links in other programs in one place only, which judges them', () => {
    const may = new Set(['main/desktop/external-opener.ts']);
    const wrong = all.filter(
      (file) => !may.has(file.path) && /\bopenExternal\b/.test(readFileSync(join(SRC, file.path), 'utf8')),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('keeps files small', () => {
    expect(all.filter((file) => file.lines > LONGEST).map((file) => `${file.path} (${file.lines})`)).toEqual([]);
  });

  it('keeps files apart: each knows few others', () => {
    const many = all.filter(({ path, imports }) => !LISTS.has(path) && imports.length > MOST_IMPORTS);
    expect(many.map(({ path, imports }) => `${path} (${imports.length})`)).toEqual([]);
  });

  it('decides by the row of an operation, never by its name', () => {
    const names = Object.keys(OPERATIONS);
    const wrong = all
      // The rows themselves, and what an SDK gives a bot: its functions have names like operations.
      .filter(({ path }) => !path.startsWith('contract/') && !path.startsWith('runtimes/'))
      .flatMap(({ path }) => {
        const text = readFileSync(join(SRC, path), 'utf8');
        return operationNamesOutOfPlace({ path, text }, names).map((found) => `${path}: ${found}`);
      });
    expect(wrong).toEqual([]);
  });

  it('leads from each operation to a heading that is there', () => {
    const rows: readonly Operation[] = Object.values(OPERATIONS);
    expect(rows.filter(({ docs }) => !docs.includes('#') || !isThere('', docs))).toEqual([]);
  });

  it('names an engine in its own folder only', () => {
    const wrong = all.flatMap(({ path }) => {
      const own = /^main\/host\/engine\/(process|docker)\//.exec(path)?.[1];
      if (path in NAMES_ENGINES) return [];
      const text = readFileSync(join(SRC, path), 'utf8');
      return engineNames({ path, text }, ENGINES)
        .filter((name) => name.toLowerCase() !== own)
        .map((name) => `${path}: ${name}`);
    });
    expect(wrong).toEqual([]);
    const imported = local.filter(
      ({ from, to }) =>
        /^main\/host\/engine\/(process|docker)\//.test(to) &&
        dirname(to) !== dirname(from.path) &&
        !IMPORTS_ENGINES.has(from.path),
    );
    expect(imported.map(({ from, to }) => `${from.path} -> ${to}`)).toEqual([]);
  });

  it('knows no runtime outside of its file', () => {
    const may = new Set([
      // Codes of the wire, which keep their names.
      'contract/failure.ts',
      // The parts of Monaco that colour a language: a package whose files can only be imported by name.
      'renderer/pages/editor/monaco/languages.ts',
      'renderer/pages/editor/monaco/language-servers.ts',
    ]);
    // A language server knows its language.
    const servers = 'renderer/pages/editor/monaco/python/';
    const families = SUMMARIES.map(({ family }) => family);
    // The host is a program of Node as well, and speaks of native modules.
    const unmistakable = families.filter((family) => family !== 'node' && family !== 'native');
    // Words that mean other things, too: they are names where a runtime or template is compared with them.
    const words = new Set(['binary', 'command', 'go']);
    const names = RUNTIME_NAMES.filter((name) => !words.has(name)).map((name) => name.replaceAll('.', '\\.'));
    const compared = [...families, ...TEMPLATE_NAMES].filter((name) => !words.has(name)).join('|');
    const named = new RegExp(
      [
        `(?<![\\w-])(?:${names.join('|')})(?![\\w-])`,
        unmistakable.join('|'),
        `(?:[=!]==\\s*|\\bcase\\s+|\\[\\s*|\\w\\(\\s*)'(?:${compared})'(?!,)`,
        `\\b(?:runtime|template)\\w*\\s*[=!]==\\s*'(?:${[...words].join('|')})'`,
      ].join('|'),
      'gi',
    );
    const wrong = all
      .filter(({ path }) => !path.startsWith('runtimes/') && !path.startsWith(servers) && !may.has(path))
      .flatMap(({ path }) => {
        const code = readFileSync(join(SRC, path), 'utf8')
          .replaceAll(/\/\*[\s\S]*?\*\//g, '')
          .replaceAll(/(^|\s)\/\/.*$/gm, '');
        return [...code.matchAll(named)].map(([text]) => `${path}: ${text}`);
      });
    expect(wrong).toEqual([]);
  });

  it('refers to documents that are there', () => {
    const broken = all.flatMap(({ path }) => {
      const found = readFileSync(join(SRC, path), 'utf8').matchAll(/[\w./-]*[\w-]\.md\b(?:#[\w-]+)?/g);
      return [...found].filter(([mention]) => !isThere(path, mention)).map(([mention]) => `${path}: ${mention}`);
    });
    const elsewhere = texts()
      .filter(([path]) => /^(?:test|scripts|bench)\//.test(path) && !path.endsWith('.md'))
      .flatMap(([path, text]) => {
        const comments = [...text.matchAll(/^\s*(?:\/\/|\/?\*).*$/gm)].join('\n');
        const found = comments.matchAll(/(?<![\w/.-])docs\/[\w./-]+\.md\b(?:#[\w-]+)?/g);
        return [...found].filter(([mention]) => !isThere(path, mention)).map(([mention]) => `${path}: ${mention}`);
      });
    expect([...broken, ...elsewhere]).toEqual([]);
  });

  it('says nothing twice in a row in its documents, as a careless merge would', () => {
    expect(saidTwice('- a b c d e f g h i j\n  k\n- z a b c d e f g h i j')).toEqual(['1 and 3: a b c d e f g h i j']);
    expect(
      saidTwice('| who | what |\n|---|---|\n| a b | c |\n| 4 | c |\n| 4 | d |\n| a b | d |\n\n| a b | c |'),
    ).toEqual(['3 and 6: a b']);
    const changelog = ['CHANGELOG.md', readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')] as const;
    const twice = [...texts(), changelog]
      // Its lines are measurements, which look alike.
      .filter(([path]) => path.endsWith('.md') && path !== 'docs/performance.md')
      .flatMap(([path, text]) => saidTwice(text).map((found) => `${path}, lines ${found}`));
    expect(twice).toEqual([]);
  });

  it('uses no name that the glossary has replaced', () => {
    const names = replacedNames();
    expect(names.length).toBeGreaterThan(50);
    const replaced = anyOf(names);
    const wrong = texts().flatMap(([path, text]) =>
      [...`${path}\n${text}`.matchAll(replaced)].map(([name]) => `${path}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('gives samples the parts of strategies as these are, because a sample stands alone', () => {
    const shared = ['python/paper.py', 'node/paper.mjs', 'node/decimal.mjs'];
    const other = shared.filter((part) => {
      const [language = '', name = ''] = part.split('/');
      const copy = readFileSync(join(ROOT, 'resources/examples', `${language}-sma-crossover`, name), 'utf8');
      return copy !== readFileSync(join(ROOT, 'resources/strategies', part), 'utf8');
    });
    expect(other).toEqual([]);
  });

  it('ends the process in one place only', () => {
    const may = new Set(['main/serve.ts', 'main/egress-gate.ts', 'cli/platform.ts']);
    const wrong = all.filter(
      (file) => !may.has(file.path) && /process\.exit\(/.test(readFileSync(join(SRC, file.path), 'utf8')),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});
