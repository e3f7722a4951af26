/**
 * Monaco's handling of styles in text, done by script: the policy of the page refuses `<style>` elements and `style` attributes
 * that come as text. The build leads Monaco here (scripts/monaco-policy.ts).
 */

/** Replaces a `<style>` element, which the policy forbids: its text goes into a constructed style sheet. */
export function createStyle(): HTMLElement {
  const sheet = new CSSStyleSheet();
  const element = document.createElement('i');
  element.hidden = true;
  let text = '';
  Object.defineProperties(element, {
    sheet: { value: sheet },
    textContent: {
      get: () => text,
      set: (css: string) => {
        text = css;
        sheet.replaceSync(css);
      },
    },
  });
  document.adoptedStyleSheets.push(sheet);
  const remove = element.remove.bind(element);
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    remove();
  };
  return element;
}

const HELD = 'data-held-style';

/** HTML with its styles held back. Monaco escapes `<` and `>` in texts, so only its own tags are touched. */
export function heldBack(html: string): string {
  return html.replaceAll(/<[a-zA-Z][^>]*>/g, (tag) => tag.replace(' style="', ` ${HELD}="`));
}

function apply(parent: ParentNode): void {
  for (const element of parent.querySelectorAll<HTMLElement | SVGElement>(`[${HELD}]`)) {
    element.style.cssText = element.getAttribute(HELD) ?? '';
    element.removeAttribute(HELD);
  }
}

/** As `element.innerHTML = html`. */
export function setStyledHtml(element: Element, html: unknown): void {
  element.innerHTML = heldBack(String(html));
  apply(element);
}

/** As `element.insertAdjacentHTML(where, html)`. */
export function insertStyledHtml(element: Element, where: InsertPosition, html: unknown): void {
  element.insertAdjacentHTML(where, heldBack(String(html)));
  apply(element.parentElement ?? element);
}
