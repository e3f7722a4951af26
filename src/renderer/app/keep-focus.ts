/** Windows and menus give the focus back by themselves, a moment after they have closed. */
const PATIENCE_MS = 60;

/** Parts of the page in which keys have something to do; only the frame of the page is around them. */
const AREAS = 'main, nav, dialog, [role="dialog"], [role="alertdialog"]';

const isAbove = ([element]: readonly Element[]): boolean => (element?.closest('dialog') ?? null) !== null;
const isOff = (element: Element): boolean => element.matches(':disabled');

function focusOn(element: Element): void {
  if (!(element instanceof HTMLElement)) return;
  element.focus({ preventScroll: true });
  if (document.activeElement === element) return;
  // An element that keys cannot reach can still hold the focus for a while: the next Tab goes on from here.
  element.tabIndex = -1;
  element.dataset.holds = 'focus';
  element.addEventListener(
    'blur',
    () => {
      element.removeAttribute('tabindex');
      delete element.dataset.holds;
    },
    { once: true },
  );
  element.focus({ preventScroll: true });
}

/**
 * Keeps the keyboard in the page. When the focused element disappears, the nearest remaining part of the page gets the
 * focus; when it is only disabled for a while, it gets the focus back. Otherwise users of keys or a screen reader would
 * start at the top again.
 */
export function keepFocus(): () => void {
  /** The element that had the focus last, and all around it, from the inside out. */
  let path: readonly Element[] = [];
  /** The same of the page when a dialog took the focus that lies above all others. */
  let below: readonly Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;
  const remember = ({ target }: FocusEvent): void => {
    const all: Element[] = [];
    for (let one = target instanceof Element ? target : null; one !== null; one = one.parentElement) all.push(one);
    if (!isAbove(path) && isAbove(all)) below = path;
    path = all.filter((one) => one !== document.body && one !== document.documentElement);
  };
  const restore = (): void => {
    timer = undefined;
    // The dialog is gone. What had the focus before it may be disabled still, until the call that asked is answered.
    if (isAbove(path) && path.every((one) => !one.isConnected)) path = below;
    const [last] = path;
    if (!isLost() || last === undefined || (last.isConnected && isOff(last))) return;
    const next = path.find((one) => one.isConnected && one.closest(AREAS) !== null) ?? document.querySelector('main');
    if (next !== null) focusOn(next);
  };
  const look = (): void => {
    if (path.length > 0 && isLost()) timer ??= setTimeout(restore, PATIENCE_MS);
  };
  // A click on empty space takes the focus away on purpose.
  const forget = (): void => {
    path = [];
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', remember);
  document.addEventListener('pointerdown', forget, { capture: true });
  return () => {
    observer.disconnect();
    clearTimeout(timer);
    document.removeEventListener('focusin', remember);
    document.removeEventListener('pointerdown', forget, { capture: true });
  };
}
