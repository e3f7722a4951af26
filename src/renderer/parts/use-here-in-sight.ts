import { type RefObject, useEffect, useRef } from 'react';

/** Keeps the link of what is shown in sight, for a row of links that scrolls. */
export function useHereInSight(here: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    if (here === '') return;
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [here]);
  return row;
}
