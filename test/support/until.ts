/** Waits until a check gives something other than null, undefined or false; fails after `ms` with what it waited for. */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  ms = 45_000,
): Promise<Exclude<T, null | undefined | false>> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (isThere(value)) return value;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

function isThere<T>(value: T): value is Exclude<T, null | undefined | false> {
  return value !== null && value !== undefined && value !== false;
}
