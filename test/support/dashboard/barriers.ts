import axe from 'axe-core';
import type { Page } from 'playwright-core';

const LEVEL_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Ends of an open menu, which send the focus on as soon as they get it: nobody stays on one. They are the library's. */
const PASSED_OVER = '[data-base-ui-focus-guard]';
/** What is the same around every place. */
const FRAME = 'nav[aria-label=Places]';
const ALL = { type: 'tag', values: LEVEL_AA } as const;
/** The rules of level AA that judge colours. No other one changes with the theme. */
const COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const;

/** What is judged: all of the page or what stands in its frame, by all rules or by those that see its colours. */
export interface Judged {
  readonly frame?: boolean;
  readonly rules?: 'all' | 'colours';
}

/**
 * What makes a page hard to use for somebody (WCAG 2.2, level AA), by rule and element. Axe stays in the page for the next
 * look, which may judge the colours alone: of a page that was judged as a whole and has another theme now.
 */
export async function barriers(page: Page, { frame = true, rules = 'all' }: Judged = {}): Promise<string[]> {
  const where = JSON.stringify({ exclude: [[PASSED_OVER], ...(frame ? [] : [[FRAME]])] });
  const options = JSON.stringify({ runOnly: rules === 'all' ? ALL : COLOURS, resultTypes: ['violations'] });
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
  const { violations }: axe.AxeResults = await page.evaluate(`axe.run(${where}, ${options})`);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.html}`));
}
