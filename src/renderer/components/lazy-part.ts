import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Event before the page reloads itself; holders of unsaved text cancel it. */
export const RELOAD = 'platform-reload';

const MARK = 'platform-reloaded-at';
/** A page that reloaded itself within this time would only do so again. */
const ONCE_IN_MS = 60_000;

/** A part of the page is missing. Reloading is the only remedy. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
}

/** Functions of the page that the loader needs; a test gives its own. */
export interface Page {
  /** Resolves to true if the host answers at all. */
  readonly isThere: () => Promise<boolean>;
  /** True if a reload would lose nothing. */
  readonly mayReload: () => boolean;
  readonly reload: () => void;
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly now: () => number;
}

const PAGE: Page = {
  isThere: async () => {
    try {
      return (await fetch('/healthz', { cache: 'no-store' })).ok;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  },
  mayReload: () => window.dispatchEvent(new Event(RELOAD, { cancelable: true })),
  reload: () => window.location.reload(),
  get storage() {
    return window.sessionStorage;
  },
  now: Date.now,
};

/**
 * Loads a part of the program, and retries if the browser dropped it. If the host was updated under an open page and
 * the part is gone, the page reloads itself, once and only if nothing is lost. Otherwise it rejects with a PartMissing
 * that says what to do.
 */
export async function loadPart<T>(load: () => Promise<T>, page: Page = PAGE): Promise<T> {
  try {
    return await load().catch(async (cause: unknown) => {
      if (await page.isThere()) return load();
      throw new PartMissing('The host does not answer, so this part of the page could not be loaded', { cause });
    });
  } catch (cause) {
    if (cause instanceof PartMissing) throw cause;
    const last = Number(page.storage.getItem(MARK) ?? 0);
    if (page.now() - last > ONCE_IN_MS && page.mayReload()) {
      page.storage.setItem(MARK, String(page.now()));
      page.reload();
      return new Promise<never>(() => undefined);
    }
    throw new PartMissing('The host was updated, and this page is of the version before', { cause });
  }
}

/** Returns a component whose code is loaded when it is first shown. */
export function lazyPart<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => loadPart(async () => ({ default: await load() })));
}
