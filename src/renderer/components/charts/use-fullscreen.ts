import { type RefObject, useCallback, useEffect, useState } from 'react';

interface Fullscreen {
  /** The height of the window while the element fills it, in pixels, else null. */
  readonly height: number | null;
  /** The browser did not let it fill the screen when it was last asked. */
  readonly isRefused: boolean;
  readonly toggle: () => void;
  /** Ends it, if it is on, and then does the work: what opens elsewhere in the page would lie behind the element. */
  readonly leaveFor: (work: () => void) => void;
}

const leave = async (): Promise<void> => {
  if (document.fullscreenElement !== null) await document.exitFullscreen();
};

/** Lets an element fill the screen. */
export function useFullscreen(element: RefObject<HTMLElement | null>): Fullscreen {
  const [height, setHeight] = useState<number | null>(null);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    const follow = (): void => {
      const fills = element.current !== null && document.fullscreenElement === element.current;
      setHeight(fills ? window.innerHeight : null);
    };
    document.addEventListener('fullscreenchange', follow);
    window.addEventListener('resize', follow);
    return () => {
      document.removeEventListener('fullscreenchange', follow);
      window.removeEventListener('resize', follow);
    };
  }, [element]);
  const toggle = useCallback(() => {
    if (document.fullscreenElement !== null) return void leave();
    element.current?.requestFullscreen().then(
      () => setRefused(false),
      () => setRefused(true),
    );
  }, [element]);
  const leaveFor = useCallback((work: () => void) => void leave().then(work), []);
  return { height, isRefused, toggle, leaveFor };
}
