import axe from 'axe-core';
import type { Page } from 'playwright-core';

const LEVEL_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The library's focus guards at the ends of an open menu, which pass the focus on at once. */
const PASSED_OVER = '[data-base-ui-focus-guard]';
/** What is the same around every place. */
const FRAME = 'nav[aria-label=Pages]';
const ALL = { type: 'tag', values: LEVEL_AA } as const;
/** The rules of level AA that judge colours. No other one changes with the theme. */
const COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const;

/** Scope of a check: the whole page or the part in its frame, by all rules or by those about colours. */
export interface Judged {
  readonly frame?: boolean;
  readonly rules?: 'all' | 'colours';
}

/**
 * Barriers of a page (WCAG 2.2, level AA), by rule and element. Axe stays in the page for the next check, which may
 * cover the colours alone after a change of theme.
 */
export async function barriers(page: Page, { frame = true, rules = 'all' }: Judged = {}): Promise<string[]> {
  const where = JSON.stringify({ exclude: [[PASSED_OVER], ...(frame ? [] : [[FRAME]])] });
  const options = JSON.stringify({ runOnly: rules === 'all' ? ALL : COLOURS, resultTypes: ['violations'] });
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
  const { violations }: axe.AxeResults = await page.evaluate(`axe.run(${where}, ${options})`);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.html}`));
}
