import { describe, expect, it } from 'vitest';
import { loadPart, type Page, PartMissing } from '../../../../src/renderer/components/lazy-part.ts';

const gone = (): Promise<never> => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));

/** A page that counts its reloads. */
function page(over: Partial<Page> = {}) {
  const kept = new Map<string, string>();
  const told = { reloads: 0 };
  const fake: Page = {
    isThere: async () => true,
    mayReload: () => true,
    reload: () => {
      told.reloads += 1;
    },
    storage: { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => void kept.set(name, value) },
    now: () => 1_000_000,
    ...over,
  };
  return { fake, told };
}

describe('a part of the page that does not come', () => {
  it('lets the page load itself anew once, then it is said', async () => {
    const { fake, told } = page();
    const first = loadPart(gone, fake);
    const second = await loadPart(gone, { ...fake, now: () => 1_030_000 }).catch((error: unknown) => error);
    expect(told.reloads).toBe(1);
    expect(second).toBeInstanceOf(PartMissing);
    expect(String(second)).toContain('The host was updated');
    // A reloading page shows nothing in between.
    expect(await Promise.race([first, 'still waiting'])).toBe('still waiting');
  });

  it('gives up no changes, and shows no empty page where the host is away', async () => {
    const unsaved = page({ mayReload: () => false });
    await expect(loadPart(gone, unsaved.fake)).rejects.toThrow('The host was updated');
    const away = page({ isThere: async () => false });
    await expect(loadPart(gone, away.fake)).rejects.toThrow('The host does not answer');
    expect([unsaved.told.reloads, away.told.reloads]).toEqual([0, 0]);
  });

  it('is asked for a second time, as the browser drops what it loads when a network comes or goes', async () => {
    const { fake, told } = page();
    let asked = 0;
    const dropped = (): Promise<string> => {
      asked += 1;
      return asked === 1 ? gone() : Promise.resolve('part');
    };
    expect(await loadPart(dropped, fake)).toBe('part');
    expect(told.reloads).toBe(0);
  });

  it('is no matter when it comes', async () => {
    expect(await loadPart(async () => 'part', page().fake)).toBe('part');
  });
});
