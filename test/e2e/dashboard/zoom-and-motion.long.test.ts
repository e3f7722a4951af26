import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFixed } from '../../support/browser.ts';
import { DATA_PLACES, PLACES, type Place } from '../../support/dashboard/places.ts';
import { Visitor } from '../../support/dashboard/visit.ts';
import { TestHost } from '../../support/platform.ts';

/** The pages of people who see or move otherwise: zoomed to 200 %, and without motion. */
const host = new TestHost();
beforeAll(async () => void (await host.start()), 60_000);
afterAll(() => host.stop());

/** A window of 1280 x 820 pixels at 200 % has room for half as many in each direction. */
const ZOOMED = { width: 640, height: 410 };
const PATIENT_MS = 300_000;

/** What reaches beyond the right edge of the page, for all that scrolls by itself. */
const TOO_WIDE = `(() => {
  const root = document.documentElement;
  const scrolls = (element) => {
    for (let one = element; one !== null && one !== root; one = one.parentElement) {
      if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(one).overflowX)) return true;
    }
    return false;
  };
  const wide = [...document.querySelectorAll('body *')].filter(
    (one) => one.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(one),
  );
  if (root.scrollWidth <= root.clientWidth && wide.length === 0) return null;
  return root.scrollWidth + ' px: ' + wide.map((one) => one.tagName + ' ' + one.textContent.slice(0, 40)).join(', ');
})()`;

/** The page as it is in its new window. */
const DRAWN = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** What moves: animations that take a time, whether they have begun or wait. */
const MOVING = `document.getAnimations()
  .filter((one) => one.playState !== 'finished' && one.effect.getComputedTiming().activeDuration > 0)
  .map((one) => (one.animationName ?? one.transitionProperty) + ' of ' + one.effect.target.outerHTML.slice(0, 80))`;

const placeOf = (name: string): Place => {
  const found = PLACES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no place ${name}`);
  return found;
};

describe('every page', () => {
  it(
    'is read at 200 % without scrolling sideways',
    async ({ onTestFinished }) => {
      const { page, fixed } = await openFixed(onTestFinished, { deviceScaleFactor: 2 });
      const visitor = new Visitor(page, fixed, host.url);
      const wrong: string[] = [];
      for (const place of [...DATA_PLACES, placeOf('bot-failure'), placeOf('waiting'), placeOf('welcome')]) {
        await visitor.visit(place);
        await page.setViewportSize(ZOOMED);
        await page.evaluate(DRAWN);
        const found = await page.evaluate<string | null>(TOO_WIDE);
        if (found !== null) wrong.push(`${place.name}: ${found}`);
        await visitor.leave(place);
      }
      expect([...wrong, ...fixed.problems]).toEqual([]);
    },
    PATIENT_MS,
  );

  it(
    'moves nothing for people who asked their system for less motion',
    async ({ onTestFinished }) => {
      const { page, fixed } = await openFixed(onTestFinished);
      const visitor = new Visitor(page, fixed, host.url);
      const wrong: string[] = [];
      for (const place of [...DATA_PLACES, placeOf('connect-written'), placeOf('palette'), placeOf('fleet-view')]) {
        await visitor.visit(place);
        for (const one of await page.evaluate<string[]>(MOVING)) wrong.push(`${place.name}: ${one}`);
        await visitor.leave(place);
      }
      expect(wrong).toEqual([]);
      // The same look finds what moves for the others.
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      await visitor.visit(placeOf('connect-written'));
      expect(await page.evaluate<string[]>(MOVING)).toEqual([expect.stringContaining('turn')]);
    },
    PATIENT_MS,
  );
});
