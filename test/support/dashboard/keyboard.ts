import type { Locator, Page } from 'playwright-core';
import { until } from '../until.ts';

/** More elements than any place has: after this many steps the target is out of reach. */
const MOST_STEPS = 120;

/** What the browser's own focus is on, and whether a person can see that. Inputs of text show a caret. */
const FOCUS = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return null;
  const rect = at.getBoundingClientRect();
  const inView = rect.width > 0 && rect.bottom > 0 && rect.right > 0 && rect.top < innerHeight && rect.left < innerWidth;
  let ring = false;
  for (let one = at, i = 0; one !== null && i < 4; one = one.parentElement, i += 1) {
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    ring ||= outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
  }
  const types = at.matches('textarea, select, input:not([type=checkbox], [type=radio])');
  const name = at.getAttribute('aria-label') ?? at.textContent.trim().slice(0, 40);
  return { text: at.tagName.toLowerCase() + ' "' + name + '"', isSeen: inView && (ring || types) };
})()`;

interface Focus {
  readonly text: string;
  readonly isSeen: boolean;
}

/** A user of the keyboard alone: every step is a key, is visible, and leaves the focus somewhere. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Goes to an element with Tab; fails when it cannot be reached, or when a stop on the way cannot be seen. */
  async to(target: Locator, key: 'Tab' | 'ArrowDown' = 'Tab'): Promise<void> {
    const passed: string[] = [];
    await target.waitFor();
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if ((await target.and(this.#page.locator(':focus')).count()) > 0) return;
      await this.#page.keyboard.press(key);
      const focus: Focus | null = await this.#page.evaluate(FOCUS);
      // After the last element comes the frame of the browser, then the first one.
      if (focus === null) continue;
      if (!focus.isSeen) throw new Error(`the focus is on ${focus.text}, and nobody sees it`);
      passed.push(focus.text);
    }
    throw new Error(`no key leads to ${target}; it came by ${passed.join(', ')}`);
  }

  /** Goes to an element and presses a key on it. */
  async press(target: Locator, key = 'Enter'): Promise<void> {
    await this.to(target);
    await this.#page.keyboard.press(key);
  }

  /** Goes to a field and writes into it, in place of what it holds. */
  async write(field: Locator, text: string): Promise<void> {
    await this.to(field);
    await this.#page.keyboard.press('Control+a');
    await this.#page.keyboard.type(text);
  }

  /** Keys of the page, one after the other. */
  async keys(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  /** After something was done the focus is still on something: the next key goes on from there. */
  async isKept(): Promise<void> {
    await until('the focus to be on something', () => this.#page.evaluate(FOCUS), 3000);
  }
}
