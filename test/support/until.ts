const SHORTEST_PAUSE_MS = 15;
const LONGEST_PAUSE_MS = 250;

/**
 * Waits until a check gives something other than null, undefined or false; fails after `ms` with what it waited for, and
 * with what `seen` tells of how things stand then. What decides is a check that began when the time was over: an answer
 * from before says nothing where this process was kept from looking meanwhile. It looks often at first and less often the
 * longer it lasts and the more a look costs: many tests wait at the same time on what the machine is to do meanwhile.
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
