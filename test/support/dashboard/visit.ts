import type { Page } from 'playwright-core';
import type { FixedHost, World } from './fixed-host.ts';
import { FIXED_NAMES, type Place, pathOf, USUAL_SIZE } from './places.ts';

/** True once nothing of the page is on its way: no placeholder, no late picture of a chart, all letters there. */
const SETTLED = `(async () => {
  await document.fonts.ready;
  const isDrawn = (figure) => figure.querySelector('canvas') !== null;
  return (
    document.querySelector('[class*=skeleton]') === null &&
    [...document.querySelectorAll('figure')].every(isDrawn)
  );
})()`;

/** Waits until a place has all that it shows. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(SETTLED);
}

/** Waits until a text can be seen: in the place, or in what lies over it. */
export function shown(page: Page, text: string | RegExp): Promise<void> {
  const here = page.locator('main, dialog, [role=dialog], [role=alertdialog], [role=menu]');
  return here.getByText(text).filter({ visible: true }).first().waitFor();
}

/** An address with nothing at it: whatever a place has opened or keeps is gone with it there. */
const NOWHERE = '/bots';
/** Remains of a place that the next one would show. */
const LEFT_OPEN = `(() => {
  const hides = (localStorage.getItem('platform-preferences') ?? '').includes('"hide_amounts":true');
  localStorage.clear();
  sessionStorage.clear();
  const stays = 'dialog, [role=dialog], [role=alertdialog], [role=menu], [aria-label=Messages] li';
  return hides || location.pathname !== '${NOWHERE}' || 'desktop' in window || document.querySelector(stays) !== null;
})()`;

/** Worlds in which the page goes on from place to place. */
const LASTING: ReadonlySet<World> = new Set(['full', 'failing', 'empty', 'read-only']);

/** Goes from place to place of the fixed host, as a person does. */
export class Visitor {
  readonly page: Page;
  readonly fixed: FixedHost;
  readonly #origin: string;
  /** The host's world at the page's load; null when it must reload. */
  #loaded: World | null = null;

  constructor(page: Page, fixed: FixedHost, origin: string) {
    this.page = page;
    this.fixed = fixed;
    this.#origin = origin;
  }

  async visit(place: Place): Promise<void> {
    const { world = 'full', open } = place;
    const path = pathOf(place, FIXED_NAMES);
    this.fixed.world = world;
    const size = place.size ?? USUAL_SIZE;
    if (JSON.stringify(this.page.viewportSize()) !== JSON.stringify(size)) await this.page.setViewportSize(size);
    if (this.#loaded === world && !path.includes('#')) {
      // The dashboard treats it as a link; reloading for each place takes ten times as long.
      await this.#push(path);
    } else {
      await this.page.goto('about:blank');
      await this.page.goto(`${this.#origin}${path}`);
    }
    this.#loaded = LASTING.has(world) && !path.includes('#') ? world : null;
    if (open !== undefined) {
      await this.page.locator('main').waitFor();
      await settled(this.page);
      await open(this.page);
    }
    await shown(this.page, place.has);
    if (place.last !== undefined) await shown(this.page, place.last);
    await settled(this.page);
  }

  /** Leaves a place after actions on it. If the page kept anything, it reloads for the next one. */
  async leave({ open }: Place): Promise<void> {
    if (open === undefined || this.#loaded === null) return;
    await this.page.mouse.move(-10, -10);
    await this.#push(NOWHERE);
    if (this.page.url().endsWith(NOWHERE)) await shown(this.page, 'There is no page at this address');
    if (await this.page.evaluate(LEFT_OPEN)) this.#loaded = null;
  }

  #push(path: string): Promise<void> {
    return this.page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  }
}
