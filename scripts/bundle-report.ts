// Lists the parts of the dashboard's first load: `npm run bundle-report`. Builds the renderer for itself; nothing in
// out/ is touched. A chunk is compressed as a whole, so a package's share of it is by its length before minifying.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import config from '../electron.vite.config.ts';
import { firstLoad, type Size, total } from './first-load.ts';

/** The group of a module: a package, or a folder of the renderer and of the code that it shares with the host. */
function groupOf(id: string): string {
  const packages = id.split('/node_modules/');
  const inside = packages.length > 1 ? (packages.at(-1) ?? '') : null;
  if (inside !== null) return inside.split('/', inside.startsWith('@') ? 2 : 1).join('/');
  const own = /\/src\/(renderer\/[^/]+|[^/]+)\//.exec(id);
  return own === null ? 'glue of the bundler' : `src/${own[1]}`;
}

const lengths = new Map<string, ReadonlyMap<string, number>>();

const measure: Plugin = {
  name: 'measure',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const groups = new Map<string, number>();
      for (const [id, { renderedLength }] of Object.entries(chunk.modules))
        groups.set(groupOf(id), (groups.get(groupOf(id)) ?? 0) + renderedLength);
      lengths.set(chunk.fileName, groups);
    }
  },
};

const share = (size: Size, part: number): Size => ({
  raw: size.raw * part,
  gzip: size.gzip * part,
  brotli: size.brotli * part,
});

const kb = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`.padStart(10);
const row = (name: string, { raw, gzip, brotli }: Size): string =>
  `${name.padEnd(34)}${kb(raw)}${kb(gzip)}${kb(brotli)}`;

const dir = mkdtempSync(join(tmpdir(), 'bundle-report-'));
try {
  const { renderer } = config as { renderer: { plugins: Plugin[]; build: object } };
  await build({
    ...renderer,
    configFile: false,
    logLevel: 'warn',
    plugins: [...renderer.plugins, measure],
    build: { ...renderer.build, outDir: dir, emptyOutDir: true },
  });
  const files = firstLoad(dir);
  const groups = new Map<string, Size>();
  const add = (group: string, size: Size): void => {
    groups.set(group, total([groups.get(group) ?? { raw: 0, gzip: 0, brotli: 0 }, size]));
  };
  for (const [file, size] of files) {
    const inside = lengths.get(file);
    const all = [...(inside?.values() ?? [])].reduce((sum, one) => sum + one, 0);
    if (inside === undefined || all === 0) add(file.endsWith('.css') ? 'styles' : 'glue of the bundler', size);
    else for (const [group, length] of inside) add(group, share(size, length / all));
  }
  console.log(`${'First load'.padEnd(34)}${'raw'.padStart(10)}${'gzip'.padStart(10)}${'brotli'.padStart(10)}`);
  for (const [group, size] of [...groups].sort(([, a], [, b]) => b.gzip - a.gzip)) console.log(row(group, size));
  console.log(row('all', total(files.values())));
  const later = new Map<string, number>();
  for (const [file, inside] of lengths) {
    if (files.has(file)) continue;
    for (const [group, length] of inside) later.set(group, (later.get(group) ?? 0) + length);
  }
  const packages = [...later].filter(([group]) => !group.startsWith('src/')).sort(([, a], [, b]) => b - a);
  console.log('\nComes later, before minifying');
  for (const [group, length] of packages) console.log(`${group.padEnd(34)}${kb(length)}`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
