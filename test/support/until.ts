/**
 * Waits until a check gives something other than null, undefined or false; fails after `ms` with what it waited for, and
 * with what `seen` tells of how things stand then.
 */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  ms = 45_000,
  seen?: () => Promise<string>,
): Promise<Exclude<T, null | undefined | false>> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (isThere(value)) return value;
    if (Date.now() > end)
      throw new Error(`waited ${ms} ms for ${what}${seen === undefined ? '' : `; ${await seen()}`}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

function isThere<T>(value: T): value is Exclude<T, null | undefined | false> {
  return value !== null && value !== undefined && value !== false;
}
