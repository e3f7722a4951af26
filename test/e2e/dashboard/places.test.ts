import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFixed } from '../../support/browser.ts';
import { barriers } from '../../support/dashboard/barriers.ts';
import { FIXED_URL } from '../../support/dashboard/fixed-bots.ts';
import { comparePicture, leftOverPictures } from '../../support/dashboard/pictures.ts';
import { DATA_PLACES, FIXED_NAMES, PLACES, type Place, pathOf } from '../../support/dashboard/places.ts';
import { Visitor } from '../../support/dashboard/visit.ts';
import { ROOT, TestHost } from '../../support/platform.ts';
import { everyVariant } from '../../support/proof.ts';

const RENDERER = join(ROOT, 'src/renderer');
const THEMES = ['dark', 'light'] as const;
/**
 * Places that are looked at in the light theme always: each kind of part is on one of them. The others, which are made of
 * the same parts in the same colours, are left to a run with every variant.
 */
const ALWAYS_LIGHT: ReadonlySet<string> = new Set([
  ...[
    'fleet',
    'fleet-selected',
    'welcome',
    'bot-overview',
    'bot-failure',
    'bot-logs',
    'bot-metrics',
    'bot-metrics-table',
  ],
  ...[
    'bot-query-answer',
    'deploy-problems',
    'custom-bot-compare',
    'connect-made',
    'settings-engines',
    'bot-logs-refused',
  ],
  ...['sign-in-wrong', 'host-away', 'palette', 'bot-delete', 'user-menu'],
]);
/** Places that are made as another one of the table is, with other words: they are left to a run with every variant. */
const LIKE_OTHERS: ReadonlySet<string> = new Set([
  // As bot-overview-refused, bot-logs-refused, deploy-refused and settings-host-refused.
  ...[
    'bot-metrics',
    'bot-state',
    'bot-query',
    'bot-runs',
    'bot-config',
    'custom-bots',
    'custom-bot-readme',
    'connect',
  ].map((name) => `${name}-refused`),
  ...['settings-keys-refused', 'settings-users-refused', 'settings-engines-refused', 'settings-audit-refused'],
  // As no-page and no-tab.
  ...['no-bot', 'no-custom-bot', 'no-settings', 'editor-no-project'],
  // As bot-delete, leave and custom-bot-move.
  ...['state-delete', 'custom-bot-remove', 'key-revoke', 'user-remove', 'host-stop'],
  // As user-add.
  ...['user-password', 'own-password'],
  // As bot-logs-empty and settings-keys-empty.
  'settings-audit-empty',
  ...['bot-logs-none-fit', 'bot-overview-empty', 'bot-runs-empty', 'bot-state-empty', 'custom-bot-no-bots'],
  // As welcome, editor-empty and settings-keys-empty.
  ...['custom-bots-empty', 'connect-empty', 'deploy-empty', 'bot-query-none'],
  // As fleet-read-only, key-made, fleet-none-found and fleet-view.
  ...['deploy-read-only', 'key-new', 'palette-none-found', 'logs-view'],
]);
const VISITED = PLACES.filter(({ name }) => everyVariant || !LIKE_OTHERS.has(name));
const themesOf = ({ name }: Place): readonly (typeof THEMES)[number][] =>
  everyVariant || ALWAYS_LIGHT.has(name) ? THEMES : [THEMES[0]];
/** A busy machine needs minutes for what a quiet one does in half of one; taking pictures anew takes longest. */
const PATIENT_MS = 600_000;
/** Pages that go through the places at once. */
const VISITORS = 2;

const host = new TestHost();
beforeAll(async () => void (await host.start()), 60_000);
afterAll(() => host.stop());

/** The port of the host that gives the files is another one each time, and some texts tell it. */
const SAME_ORIGIN = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.data.includes(location.origin)) text.data = text.data.replaceAll(location.origin, '${FIXED_URL}');
  }
})()`;

/** Takes what is told of a place apart from its frame, which the picture of the fleet has. */
async function picture(page: Page, place: Place): Promise<Buffer> {
  await page.evaluate(SAME_ORIGIN);
  if (place.window !== undefined) {
    return page
      .locator('[role=dialog], [role=alertdialog], [role=menu]')
      .first()
      .screenshot({ animations: 'disabled' });
  }
  const hasFrame = place.name !== 'fleet' && (await page.getByRole('navigation', { name: 'Places' }).count()) > 0;
  const x = hasFrame ? 182 : 0;
  return page.screenshot({ clip: { x, y: 0, width: 1280 - x, height: 800 }, animations: 'disabled' });
}

/** Those after each other that need no new load of the page: of one world, first those on which nothing is done. */
function inOrder(places: readonly Place[]): Place[] {
  const rank = ({ world = 'full', open }: Place): string => `${world} ${open === undefined ? 0 : 1}`;
  return [...places].sort((one, other) => rank(one).localeCompare(rank(other)));
}

/** Goes through places, in their themes, and gathers what is wrong with any of them. */
async function check(visitor: Visitor, places: readonly Place[]): Promise<string[]> {
  const { page, fixed } = visitor;
  const wrong: string[] = [];
  for (const place of places) {
    await visitor.visit(place);
    for (const theme of themesOf(place)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      const name = `${place.name}.${theme}`;
      const differs = comparePicture(name, await picture(page, place));
      if (differs !== null) wrong.push(differs);
      const judged = { frame: place.name === 'fleet', rules: theme === THEMES[0] ? 'all' : 'colours' } as const;
      wrong.push(...(await barriers(page, judged)).map((one) => `${name}: ${one}`));
    }
    await visitor.leave(place);
  }
  return [...wrong, ...fixed.problems];
}

/** Addresses of the program: each route, and each tab that one of them has. */
function addresses(): string[] {
  const source = (file: string): string => readFileSync(join(RENDERER, file), 'utf8');
  const tabs = (file: string): string[] =>
    [...source(file).matchAll(/\bid: '([a-z]+)',\s*word: '/g)].map(([, id]) => id ?? '');
  const BEHIND: Readonly<Record<string, readonly string[]>> = {
    '/bots/:id/:tab?': tabs('places/bot/bot-page.tsx'),
    '/custom-bots/:name/:tab?': tabs('places/custom-bots/custom-bot.tsx'),
    '/settings/:section?': tabs('places/settings/settings.tsx'),
  };
  const routes = [...source('app/shell.tsx').matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path ?? '');
  return routes.flatMap((route) => {
    const [last] = /\/:\w+\?$/.exec(route) ?? [];
    if (last === undefined) return [route];
    // A project on it is looked at by editor.test.ts: Monaco's own pictures differ from release to release.
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
  const opens = /<(?:Confirm|Dialog|FinderWindow|(?:Dialog|Menu|Popover|Base)\.Root)\b/;
  // These are what the others are made of.
  const parts = new Set(['parts/confirm.tsx', 'parts/dialog.tsx', 'parts/finder.tsx']);
  return files.filter(
    (file) =>
      file.endsWith('.tsx') &&
      !parts.has(file) &&
      !file.startsWith('places/editor/') &&
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

  it('has the places whose look is judged otherwise than usual', () => {
    const names = new Set(PLACES.map(({ name }) => name));
    expect([...ALWAYS_LIGHT, ...LIKE_OTHERS].filter((name) => !names.has(name))).toEqual([]);
  });

  it('has every window that opens over a place', () => {
    const shown = new Set(PLACES.map((place) => place.window));
    expect(windows().filter((file) => !shown.has(file))).toEqual([]);
    expect([...shown].filter((file) => file !== undefined && !windows().includes(file))).toEqual([]);
  });
});

describe('every place', () => {
  it(
    'can be used by everybody and looks as it did, in both themes',
    async ({ onTestFinished }) => {
      const found = await Promise.all(
        Array.from({ length: VISITORS }, async (_, turn) => {
          const { page, fixed } = await openFixed(onTestFinished);
          const places = inOrder(VISITED).filter((_place, index) => index % VISITORS === turn);
          return check(new Visitor(page, fixed, host.url), places);
        }),
      );
      const names = new Set(PLACES.flatMap(({ name }) => THEMES.map((theme) => `${name}.${theme}`)));
      const leftOver = leftOverPictures(names).map(
        (name) => `${name}: nothing is called so any more. npm run pictures removes it.`,
      );
      expect([...found.flat(), ...leftOver]).toEqual([]);
    },
    PATIENT_MS,
  );
});
