import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

/** Folders from left to right; one may import those of a smaller rank, never its own rank's siblings (docs/architecture.md). */
const RANK: Readonly<Record<string, number>> = {
  contract: 0,
  isomorphic: 1,
  packaging: 2,
  project: 2.5,
  'main/base': 2,
  'main/store': 3,
  'main/auth': 4,
  'main/catalog': 4,
  'main/keep': 4,
  'main/feed': 4,
  'main/projects': 4,
  'main/state': 4,
  'main/schedule': 4,
  'main/engine': 4,
  'main/telemetry': 4,
  'main/bots': 5,
  'main/query': 5,
  'main/api': 6,
  'main/http': 7,
  'main/mcp': 7,
  'main/host': 8,
  'main/inspect': 8,
  'main/serve.ts': 9,
  'main/inspect.ts': 9,
  'main/archive.ts': 9,
  'main/electron': 9,
  'main/index.ts': 10,
  preload: 1,
  cli: 3,
  renderer: 3,
};
/** The CLI is a client: it knows the contract, the packing of a project and what processes are, and nothing that runs in a host. */
const CLI_MAY = new Set(['contract', 'isomorphic', 'packaging', 'project', 'main/base', 'cli']);
/** The desktop app is one too: it starts the host as a process and imports nothing that runs in it. */
const ELECTRON_MAY = new Set(['contract', 'isomorphic', 'main/base', 'main/electron']);
/** A store's SQL stands in store/ but its interface with the service that needs it: types only, so no cycle at run time. */
const STORE_MAY_TYPE = new Set(['main/auth', 'main/catalog']);
/** Longest file that needs no written reason. */
const LONGEST = 500;

interface Source {
  readonly path: string;
  readonly folder: string;
  readonly lines: number;
  readonly imports: readonly { readonly to: string; readonly typeOnly: boolean }[];
}

function folderOf(path: string): string {
  const parts = path.split('/');
  return parts[0] === 'main' ? `main/${parts[1] ?? ''}` : (parts[0] ?? '');
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
      return { path, folder: folderOf(path), lines: text.split('\n').length, imports };
    });
}

function resolved(from: Source, to: string): string {
  return relative(SRC, resolve(join(SRC, dirname(from.path)), to)).replaceAll('\\', '/');
}

const all = sources();
const local = all.flatMap((from) =>
  from.imports
    .filter((one) => one.to.startsWith('.'))
    .map((one) => ({ from, typeOnly: one.typeOnly, to: resolved(from, one.to) })),
);

describe('structure', () => {
  it('knows every folder', () => {
    expect([...new Set(all.map((file) => file.folder))].filter((folder) => RANK[folder] === undefined)).toEqual([]);
  });

  it('imports only to the left', () => {
    const wrong = local.filter(({ from, to, typeOnly }) => {
      const target = folderOf(to);
      if (target === from.folder) return false;
      if (from.folder === 'cli') return !CLI_MAY.has(target);
      if (from.folder === 'main/electron') return !ELECTRON_MAY.has(target);
      if (typeOnly && from.folder === 'main/store' && STORE_MAY_TYPE.has(target)) return false;
      return (RANK[target] ?? 99) >= (RANK[from.folder] ?? -1);
    });
    expect(wrong.map(({ from, to }) => `${from.path} -> ${to}`)).toEqual([]);
  });

  it('has no import cycle', () => {
    const edges = Map.groupBy(
      local.filter((edge) => !edge.typeOnly),
      (edge) => edge.from.path,
    );
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

  it('keeps electron in its folder', () => {
    const wrong = all.filter(
      (file) => file.imports.some((one) => one.to === 'electron') && !/^(main\/electron|preload)\//.test(file.path),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('opens links in other programs in one place only, which judges them', () => {
    const may = new Set(['main/electron/outside.ts']);
    const wrong = all.filter(
      (file) => !may.has(file.path) && /\bopenExternal\b/.test(readFileSync(join(SRC, file.path), 'utf8')),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('keeps files small', () => {
    expect(all.filter((file) => file.lines > LONGEST).map((file) => `${file.path} (${file.lines})`)).toEqual([]);
  });

  it('ends the process in one place only', () => {
    const may = new Set(['main/serve.ts', 'cli/platform.ts']);
    const wrong = all.filter(
      (file) => !may.has(file.path) && /process\.exit\(/.test(readFileSync(join(SRC, file.path), 'utf8')),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});
