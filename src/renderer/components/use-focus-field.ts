import { type RefObject, useEffect, useRef } from 'react';

const CONTROLS = 'input, select, textarea, button';

/** Moves the focus to the field of this name (`data-field`) below the element, once it is there; nothing where there is none. */
export function useFocusField(name: string | null): RefObject<HTMLDivElement | null> {
  const within = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (name === null) return;
    const field = within.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
    const control = field?.matches(CONTROLS) === true ? field : field?.querySelector<HTMLElement>(CONTROLS);
    control?.focus();
    control?.scrollIntoView({ block: 'center' });
  }, [name]);
  return within;
}
