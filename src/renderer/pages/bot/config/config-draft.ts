/** The config in the editor. */
export interface Held {
  /** The stored config, as far as the editor knows. */
  readonly base: Record<string, unknown>;
  readonly value: Record<string, unknown>;
  /** The config of the bot that was taken in last: the bot may still show it when a save is long done. */
  readonly seen: Record<string, unknown>;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export function hold(config: Held['base']): Held {
  return { base: config, value: config, seen: config };
}

export function isDirty({ base, value }: Held): boolean {
  return !same(base, value);
}

/** True when the config was changed elsewhere and the editor does not show it. */
export function isOld({ base, seen }: Held, now: Held['base']): boolean {
  return !same(seen, now) && !same(base, now);
}

/**
 * The editor after the bot has shown a config: a config changed elsewhere replaces the editor's if nothing was changed here.
 */
export function follow(held: Held, now: Held['base']): Held {
  if (same(held.seen, now)) return held;
  if (same(held.base, now)) return { ...held, seen: now };
  return isDirty(held) ? held : hold(now);
}

/** The editor without its changes. */
export function discard(held: Held, now: Held['base']): Held {
  return isOld(held, now) ? hold(now) : { ...held, value: held.base };
}
