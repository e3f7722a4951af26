import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATA_PLACES, FIXED_NAMES, PLACES, pathOf } from '../../support/dashboard/places.ts';
import { ROOT } from '../../support/platform.ts';

const RENDERER = join(ROOT, 'src/renderer');

/** Addresses of the program: each route, and each tab that one of them has. */
function addresses(): string[] {
  const source = (file: string): string => readFileSync(join(RENDERER, file), 'utf8');
  const tabs = (file: string): string[] =>
    [...source(file).matchAll(/\bid: '([a-z]+)',\s*label: '/g)].map(([, id]) => id ?? '');
  const BEHIND: Readonly<Record<string, readonly string[]>> = {
    '/bots/:id/:tab?': tabs('pages/bot/bot-page.tsx'),
    '/custom-bots/:name/:tab?': tabs('pages/custom-bots/custom-bot.tsx'),
    '/settings/:section?': tabs('pages/settings/settings.tsx'),
  };
  const routes = [...source('app/shell.tsx').matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path ?? '');
  return routes.flatMap((route) => {
    const [last] = /\/:\w+\?$/.exec(route) ?? [];
    if (last === undefined) return [route];
    // A project on it is looked at by editor.long.test.ts: Monaco's own pictures differ from release to release.
    if (route === '/editor/:id?') return ['/editor'];
    const known = BEHIND[route] ?? [];
    expect([route, known.length > 4]).toEqual([route, true]);
    return known.map((id) => route.replace(last, `/${id}`));
  });
}

/** Parts of an address that differ from bot to bot. */
const shape = (path: string): string => path.replace(/\?.*/, '').replace(/^(\/(?:bots|custom-bots))\/[^/]+/, '$1/*');
/** The first tab of a page has the address of the page. */
const FIRST_TAB = /^(\/bots\/\*)\/overview$|^(\/custom-bots\/\*)\/readme$/;

/** Sources that open a window over a place. */
function windows(): string[] {
  const files = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
  const opens = /<(?:Confirm|Dialog|TopDialog|FinderWindow|(?:Dialog|Menu|Popover|Base)\.Root)\b/;
  // These are what the others are made of.
  const parts = new Set(['components/confirm.tsx', 'components/dialog.tsx', 'components/finder.tsx']);
  return files.filter(
    (file) =>
      file.endsWith('.tsx') &&
      !parts.has(file) &&
      !file.startsWith('pages/editor/') &&
      // copied.long.test.ts looks at it: only a host whose folder was copied shows it.
      file !== 'app/copied-folder-bar.tsx' &&
      opens.test(readFileSync(join(RENDERER, file), 'utf8')),
  );
}

describe('the table of places', () => {
  const known = new Set(DATA_PLACES.map((place) => shape(pathOf(place, FIXED_NAMES))));

  it('has every route, and every tab of one', () => {
    const all = addresses().map((path) => shape(path).replace(FIRST_TAB, '$1$2'));
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter((path) => !known.has(path))).toEqual([]);
  });

  it('has every window that opens over a place', () => {
    const shown = new Set(PLACES.map((place) => place.window));
    expect(windows().filter((file) => !shown.has(file))).toEqual([]);
    expect([...shown].filter((file) => file !== undefined && !windows().includes(file))).toEqual([]);
  });
});
