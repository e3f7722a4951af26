const SHORTEST_PAUSE_MS = 15;
const LONGEST_PAUSE_MS = 250;

/**
 * Waits until a check returns something other than null, undefined or false; fails after `ms` with the description of
 * the wait, and with `seen`. The last check starts after the deadline, because an earlier one proves nothing if this
 * process was starved meanwhile. It polls often at first, and less often the longer it lasts and the more a check
 * costs: many tests wait at once for the machine.
 */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  ms = 90_000,
  seen?: () => Promise<string>,
): Promise<Exclude<T, null | undefined | false>> {
  const begin = performance.now();
  const end = begin + ms;
  for (;;) {
    const looked = performance.now();
    const late = looked > end;
    const value = await check();
    if (isThere(value)) return value;
    if (late)
      throw new Error(`waited ${ms} ms for ${what}${seen === undefined ? '' : `; ${await seen().catch(String)}`}`);
    const now = performance.now();
    const pause = Math.max(SHORTEST_PAUSE_MS, (now - begin) / 20, 3 * (now - looked));
    await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, pause)));
  }
}

function isThere<T>(value: T): value is Exclude<T, null | undefined | false> {
  return value !== null && value !== undefined && value !== false;
}
