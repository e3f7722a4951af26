/**
 * Waits until a check gives something other than null, undefined or false; fails after `ms` with what it waited for, and
 * with what `seen` tells of how things stand then. What decides is a check that began when the time was over: an answer
 * from before says nothing where this process was kept from looking meanwhile.
 */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  ms = 90_000,
  seen?: () => Promise<string>,
): Promise<Exclude<T, null | undefined | false>> {
  const end = performance.now() + ms;
  for (;;) {
    const late = performance.now() > end;
    const value = await check();
    if (isThere(value)) return value;
    if (late)
      throw new Error(`waited ${ms} ms for ${what}${seen === undefined ? '' : `; ${await seen().catch(String)}`}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

function isThere<T>(value: T): value is Exclude<T, null | undefined | false> {
  return value !== null && value !== undefined && value !== false;
}
