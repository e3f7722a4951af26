import { useSyncExternalStore } from 'react';
import { formatDuration, formatRelative } from '../../shared/format-quantity.ts';
import { type ClockZone, writtenTime } from '../../shared/written-time.ts';
import { hostNow } from '../host-clock.ts';

/** The day of an instant; the tooltip has date and time. */
export function Day({ at, zone }: { readonly at: string; readonly zone: ClockZone }) {
  const text = writtenTime(new Date(at), zone);
  return (
    <time dateTime={at} title={`${text} ${zone === 'UTC' ? 'UTC' : 'local time'}`}>
      {text.slice(0, text.indexOf(' '))}
    </time>
  );
}

/** An instant in the clock that was chosen; the tooltip has the other one. */
export function Time({ at, zone }: { readonly at: string; readonly zone: ClockZone }) {
  const date = new Date(at);
  const other: ClockZone = zone === 'UTC' ? 'local' : 'UTC';
  return (
    <time dateTime={at} title={`${writtenTime(date, other)} ${other === 'UTC' ? 'UTC' : 'local time'}`}>
      {writtenTime(date, zone)}
    </time>
  );
}

/** The time of day of an instant of today; the tooltip has date and time. */
export function Clock({ at, zone }: { readonly at: string; readonly zone: ClockZone }) {
  const text = writtenTime(new Date(at), zone);
  return (
    <time dateTime={at} title={`${text} ${zone === 'UTC' ? 'UTC' : 'local time'}`}>
      {text.slice(text.indexOf(' ') + 1)}
    </time>
  );
}

let now = hostNow();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for the whole page: a thousand rows need no thousand timers. */
function follow(listener: () => void): () => void {
  listeners.add(listener);
  // While the clock had no subscribers, it stood still.
  if (timer === undefined) now = hostNow();
  timer ??= setInterval(() => {
    now = hostNow();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the wall clock, which moves each second. */
export function useNow(): number {
  return useSyncExternalStore(follow, () => now);
}

/** Time since an instant, or until it, as fine as the clock of the page: whole seconds. */
export function Since({ at }: { readonly at: string }) {
  const apart = Math.floor(Math.abs(useNow() - Date.parse(at)) / 1000);
  return <span title={at}>{apart === 0 ? '0 s' : formatDuration(apart * 1000)}</span>;
}

/** An instant seen from now, in its biggest unit: `3 h ago`. */
export function Ago({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={at}>
      {formatRelative(Date.parse(at), now)}
    </time>
  );
}
