import { type RefObject, useCallback, useEffect, useState } from 'react';

/**
 * Lets an element fill the screen.
 *
 * @returns The height of the window while the element fills it, in pixels, else null; and what begins and ends that.
 */
export function useFullscreen(element: RefObject<HTMLElement | null>): [number | null, () => void] {
  const [height, setHeight] = useState<number | null>(null);
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
    if (document.fullscreenElement === null) void element.current?.requestFullscreen();
    else void document.exitFullscreen();
  }, [element]);
  return [height, toggle];
}
