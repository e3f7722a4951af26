import { z } from 'zod';
import { writeFileAtomic } from '../../node/atomic-write.ts';
import { readAs } from './read-if-there.ts';

/** A rectangle on the desktop, in device-independent pixels. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const WindowState = z.object({
  bounds: z.object({
    x: z.number().int(),
    y: z.number().int(),
    width: z.number().int().min(1),
    height: z.number().int().min(1),
  }),
  maximized: z.boolean(),
});

/** Bounds of the window, and whether it filled the screen. */
export type WindowState = z.infer<typeof WindowState>;

export const SMALLEST = { width: 480, height: 360 } as const;
const USUAL = { width: 1280, height: 820 } as const;
/** Least part of the window, in pixels, that must be on a screen, so that a person finds it. */
const SEEN = 80;

/** The remembered state; null if there is none or it is unreadable. */
export function readWindowState(file: string): WindowState | null {
  return readAs(WindowState, file);
}

export function writeWindowState(file: string, state: WindowState): Promise<void> {
  return writeFileAtomic(file, `${JSON.stringify(state)}\n`);
}

const overlap = (from: number, length: number, otherFrom: number, otherLength: number): number =>
  Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom);

/**
 * Returns the bounds of the window to open: the remembered ones if enough of them lies on one of these screens, else the usual
 * size.
 */
export function placeWindow(state: WindowState | null, screens: readonly Area[]): Partial<Area> {
  const bounds = state?.bounds;
  if (bounds === undefined) return USUAL;
  const seen = screens.some(
    (screen) =>
      overlap(bounds.x, bounds.width, screen.x, screen.width) >= SEEN &&
      overlap(bounds.y, bounds.height, screen.y, screen.height) >= SEEN,
  );
  const size = {
    width: Math.max(bounds.width, SMALLEST.width),
    height: Math.max(bounds.height, SMALLEST.height),
  };
  return seen ? { x: bounds.x, y: bounds.y, ...size } : USUAL;
}
