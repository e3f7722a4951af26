import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/platform.ts';

const OUT = join(ROOT, 'out/renderer');

/** Scripts that a page loads before anybody has chosen a place: the entry, and all that it imports at once. */
function firstScripts(): Map<string, string> {
  const page = readFileSync(join(OUT, 'index.html'), 'utf8');
  const waiting = [...page.matchAll(/(?:src|href)="\.(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? '');
  const found = new Map<string, string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const text = readFileSync(join(OUT, path), 'utf8');
    found.set(path, text);
    for (const [, name] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g))
      waiting.push(`/assets/${name}`);
  }
  return found;
}

it('loads no part of the editor with the first page', () => {
  const scripts = firstScripts();
  const all = [...scripts.values()].join('\n');
  expect(scripts.size).toBeGreaterThan(0);
  // Words of Monaco, and of the place, that no minifier changes.
  expect(all).not.toContain('monaco-editor');
  expect(all).not.toContain('IEditorWorkerHost');
  expect(all).not.toContain('The host finds nothing wrong with the project');
  expect(all.length).toBeLessThan(700_000);
  // The names must occur elsewhere, or this test would look for outdated ones.
  const editor = /"\.\/(editor-[\w-]+\.js)"/.exec(all)?.[1] ?? '';
  expect(readFileSync(join(OUT, 'assets', editor), 'utf8')).toContain('The host finds nothing wrong with the project');
});
