import type { AroundNavHandler } from 'wouter';
import { Confirm } from '../components/confirm.tsx';
import { RELOAD } from '../components/lazy-part.ts';
import { answerLeaving, isLost, leaveFor, leaveThen, useUnsavedMarks } from '../data/unsaved.ts';

/** All navigation inside the page goes through here, so that changes are never lost unasked. */
export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  const here = new URL(window.location.href);
  leaveFor(here, new URL(to, here), () => navigate(to, options));
};

let here = new URL(window.location.href);
const onMove = (): void => {
  here = new URL(window.location.href);
};

/** The browser's Back has already happened: this returns to the unsaved changes before any listener reacts. */
function onBack(event: PopStateEvent): void {
  const to = new URL(window.location.href);
  if (!isLost(here, to)) {
    here = to;
    return;
  }
  event.stopImmediatePropagation();
  window.history.pushState(null, '', here);
  leaveThen(() => window.history.pushState(null, '', to));
}

// Runs before the listeners of pages, which would remove the unsaved changes at once.
window.addEventListener('popstate', onBack, { capture: true });
window.addEventListener(RELOAD, (event) => {
  if (useUnsavedMarks.getState().marks.size > 0) event.preventDefault();
});
window.addEventListener('pushState', onMove);
window.addEventListener('replaceState', onMove);

/** Asks before changes are lost: by a link, a shortcut, the palette, or the browser's own way back. */
export function Leaving() {
  const leaving = useUnsavedMarks((one) => one.leaving);
  return (
    <Confirm
      open={leaving !== null}
      title="Leave without saving?"
      label="Leave"
      onConfirm={() => answerLeaving(true)}
      onCancel={() => answerLeaving(false)}
    >
      <p>What you changed here is not saved and will be lost.</p>
    </Confirm>
  );
}
