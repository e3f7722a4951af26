import { type RefObject, useEffect, useRef } from 'react';

/** Scrolls the link of the shown page into view in a scrolling row of links. */
export function useHereInSight(here: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    if (here === '') return;
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [here]);
  return row;
}
