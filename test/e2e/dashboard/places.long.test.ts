import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFixed } from '../../support/browser.ts';
import { barriers } from '../../support/dashboard/barriers.ts';
import { FIXED_URL } from '../../support/dashboard/fixed-bots.ts';
import { comparePicture, leftOverPictures } from '../../support/dashboard/pictures.ts';
import { PLACES, type Place, USUAL_SIZE } from '../../support/dashboard/places.ts';
import { Visitor } from '../../support/dashboard/visit.ts';
import { TestHost } from '../../support/platform.ts';

const THEMES = ['dark', 'light'] as const;
/** A busy machine needs minutes where a quiet one needs half of one; updating pictures takes longest. */
const PATIENT_MS = 600_000;
/** `PLATFORM_TEST_PLACES=bot-failure,fleet` looks at these alone, while they are worked on. */
const ONLY = process.env.PLATFORM_TEST_PLACES?.split(',');
const looked = PLACES.filter(({ name }) => ONLY?.includes(name) ?? true);
/** Pages that go through the places at once. */
const VISITORS = 2;

/** Width from which on the navigation stands at the side. */
const FRAME_AT_SIDE = 768;

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
      .locator('dialog, [role=dialog], [role=alertdialog], [role=menu]')
      .first()
      .screenshot({ animations: 'disabled' });
  }
  const { width, height } = place.size ?? USUAL_SIZE;
  const isNarrow = width < FRAME_AT_SIDE;
  const hasFrame = place.name !== 'fleet' && (await page.getByRole('navigation', { name: 'Pages' }).count()) > 0;
  const x = hasFrame && !isNarrow ? 182 : 0;
  return page.screenshot({ clip: { x, y: 0, width: width - x, height }, animations: 'disabled' });
}

/** Orders places so that neighbours share a loaded page: by world, those without actions first. */
function inOrder(places: readonly Place[]): Place[] {
  const rank = ({ world = 'full', open }: Place): string => `${world} ${open === undefined ? 0 : 1}`;
  return [...places].sort((one, other) => rank(one).localeCompare(rank(other)));
}

/** Visits places in their themes, and collects the problems of each. */
async function check(visitor: Visitor, places: readonly Place[]): Promise<string[]> {
  const { page, fixed } = visitor;
  const wrong: string[] = [];
  for (const place of places) {
    await visitor.visit(place);
    for (const theme of THEMES) {
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

describe('every place', () => {
  it(
    'can be used by everybody and looks as it did, in both themes',
    async ({ onTestFinished }) => {
      const found = await Promise.all(
        Array.from({ length: VISITORS }, async (_, turn) => {
          const { page, fixed } = await openFixed(onTestFinished);
          const places = inOrder(looked).filter((_place, index) => index % VISITORS === turn);
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
