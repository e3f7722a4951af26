import { useEffect, useRef } from 'react';
import { type Asked, recogniseShortcut } from './recognise-shortcut.ts';

const FIELDS =
  'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"], [role="textbox"]';

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  field?.focus();
  field?.select();
  return field !== null;
}

/** Listens for the shortcuts of the page; `/` goes to the search field of the page, where it has one. */
export function useShortcuts(onAsked: (asked: Exclude<Asked, { kind: 'search' }>) => void): void {
  const latest = useRef(onAsked);
  latest.current = onAsked;
  useEffect(() => {
    let since: number | null = null;
    const onKey = (event: KeyboardEvent): void => {
      // An editor has chords of its own.
      if (event.defaultPrevented || event.repeat) return;
      const heard = recogniseShortcut(
        {
          key: event.key,
          ctrl: event.ctrlKey,
          meta: event.metaKey,
          alt: event.altKey,
          inField: event.target instanceof Element && event.target.matches(FIELDS),
          inDialog: document.querySelector('[role="dialog"], [role="alertdialog"], dialog[open]') !== null,
          at: event.timeStamp,
        },
        since,
      );
      since = heard.since;
      const { asked } = heard;
      if (asked === null) return;
      if (asked.kind === 'search') {
        if (focusSearch()) event.preventDefault();
        return;
      }
      event.preventDefault();
      latest.current(asked);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
