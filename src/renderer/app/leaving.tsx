import { useEffect } from 'react';
import { type AroundNavHandler, useLocation } from 'wouter';
import { answerLeaving, isLost, leaveFor, leaveThen, useUnsavedMarks } from '../data/unsaved.ts';
import { Confirm } from '../parts/confirm.tsx';

/** Every way inside the page goes through here, so that none loses changes unasked. */
export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  const here = new URL(window.location.href);
  leaveFor(here, new URL(to, here), () => navigate(to, options));
};

/** Asks before changes are lost: by a link, a shortcut, the palette, or the browser's own way back. */
export function Leaving() {
  const leaving = useUnsavedMarks((one) => one.leaving);
  const [, go] = useLocation();
  useEffect(() => {
    let here = new URL(window.location.href);
    const onMove = (): void => {
      here = new URL(window.location.href);
    };
    const onBack = (event: PopStateEvent): void => {
      const to = new URL(window.location.href);
      if (!isLost(here, to)) {
        here = to;
        return;
      }
      // The browser is there already: it goes back to where the changes are, before anybody hears of it.
      event.stopImmediatePropagation();
      window.history.pushState(null, '', here);
      leaveThen(() => go(to.pathname + to.search + to.hash));
    };
    window.addEventListener('popstate', onBack, { capture: true });
    window.addEventListener('pushState', onMove);
    window.addEventListener('replaceState', onMove);
    return () => {
      window.removeEventListener('popstate', onBack, { capture: true });
      window.removeEventListener('pushState', onMove);
      window.removeEventListener('replaceState', onMove);
    };
  }, [go]);
  return (
    <Confirm
      open={leaving !== null}
      title="Leave without saving?"
      word="Leave"
      onYes={() => answerLeaving(true)}
      onNo={() => answerLeaving(false)}
    >
      <p>What you changed here is not saved and will be lost.</p>
    </Confirm>
  );
}
