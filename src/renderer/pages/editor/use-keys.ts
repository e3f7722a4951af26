import { useEffect, useRef } from 'react';
import type { PaneKeys } from './monaco/panes.tsx';

/** The editor's keys while the text does not have the focus; in the text Monaco handles them itself. */
export function useKeys(keys: PaneKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      const { save, quickOpen, find, replace, run } = latest.current;
      const act = event.shiftKey
        ? ({ f: find, h: replace, enter: run } as Record<string, () => void>)[key]
        : ({ s: save, p: quickOpen } as Record<string, () => void>)[key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
