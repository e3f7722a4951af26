import type uPlot from 'uplot';
import type { Domain } from './chart-elements.ts';
import { moved, wheelFactor, zoomed } from './zoom.ts';

/** The stretch is asked for once the wheel or the hand has come to rest: each one is a step of the address and a read. */
const REST_MS = 150;
/** Height of a line in browsers that count a wheel's turn in lines. */
const LINE_PIXELS = 16;

/** Zooming and panning of a plot. The plot itself follows at once. */
export interface Gestures {
  /** The stretch that the hand has reached and that is not asked for yet; null at rest. */
  readonly pending: () => Domain | null;
  readonly stop: () => void;
}

/** The stretch that the plot shows now; null before it has drawn any. */
export function shownDomain({ scales }: uPlot): Domain | null {
  const { min, max } = scales.x ?? {};
  return min === undefined || max === undefined || min === null || max === null ? null : { from: min, to: max };
}

/** Pixels along an axis that a wheel has turned. */
const pixelsOf = (delta: number, event: WheelEvent): number =>
  event.deltaMode === WheelEvent.DOM_DELTA_LINE ? delta * LINE_PIXELS : delta;

/**
 * The wheel with Ctrl or ⌘ (a pinch on a touchpad) zooms around the pointer, and without a key where the chart fills the
 * screen; elsewhere it scrolls the page. A wheel turned sideways, or dragging with Shift, pans.
 *
 * @param read What to call with the new stretch; undefined where the chart does not zoom.
 */
export function followGestures(plot: uPlot, read: () => ((domain: Domain) => void) | undefined): Gestures {
  let pending: Domain | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const { over } = plot;
  const listeners = new AbortController();
  const { signal } = listeners;

  const rest = (): void => {
    const domain = pending;
    pending = null;
    timer = undefined;
    if (domain !== null) read()?.(domain);
  };
  const show = (domain: Domain): void => {
    pending = domain;
    plot.setScale('x', { min: domain.from, max: domain.to });
    clearTimeout(timer);
    timer = setTimeout(rest, REST_MS);
  };

  const onWheel = (event: WheelEvent): void => {
    const domain = shownDomain(plot);
    if (domain === null || read() === undefined) return;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const fills = document.fullscreenElement?.contains(over) === true;
    if (sideways) show(moved(domain, pixelsOf(event.deltaX, event) / over.clientWidth));
    else if (event.ctrlKey || event.metaKey || fills) {
      const at = plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x');
      show(zoomed(domain, at, wheelFactor(pixelsOf(event.deltaY, event))));
    } else return;
    event.preventDefault();
  };

  const onDown = (event: MouseEvent): void => {
    const domain = shownDomain(plot);
    if (!event.shiftKey || event.button !== 0 || domain === null || read() === undefined) return;
    // The plot would mark a stretch to zoom into.
    event.stopImmediatePropagation();
    event.preventDefault();
    const onMove = (move: MouseEvent): void => {
      show(moved(domain, (event.clientX - move.clientX) / over.clientWidth));
    };
    const onUp = (): void => {
      document.removeEventListener('mousemove', onMove);
    };
    document.addEventListener('mousemove', onMove, { signal });
    document.addEventListener('mouseup', onUp, { once: true, signal });
  };

  over.addEventListener('wheel', onWheel, { passive: false, signal });
  over.addEventListener('mousedown', onDown, { capture: true, signal });
  return {
    pending: () => pending,
    stop: () => {
      listeners.abort();
      clearTimeout(timer);
    },
  };
}
