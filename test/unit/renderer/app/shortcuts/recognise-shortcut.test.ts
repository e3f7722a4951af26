import { describe, expect, it } from 'vitest';
import { type Press, recogniseShortcut } from '../../../../../src/renderer/app/shortcuts/recognise-shortcut.ts';

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  ctrl: false,
  meta: false,
  alt: false,
  inField: false,
  inDialog: false,
  at: 1000,
  ...more,
});

/** The actions of a row of keys, 100 ms apart. */
function heard(keys: readonly string[], more: Partial<Press> = {}, apart = 100) {
  let since: number | null = null;
  const asked = [];
  for (const [index, key] of keys.entries()) {
    const one = recogniseShortcut(press(key, { ...more, at: 1000 + index * apart }), since);
    since = one.since;
    if (one.asked !== null) asked.push(one.asked);
  }
  return asked;
}

describe('shortcuts', () => {
  it.each([
    ['f', '/'],
    ['d', '/deploy'],
    ['c', '/custom-bots'],
    ['a', '/connect'],
    ['s', '/settings'],
  ])('g %s goes to %s', (key, path) => {
    expect(heard(['g', key])).toEqual([{ kind: 'go', path }]);
  });

  it('forget a g that nothing followed', () => {
    expect(heard(['g', 's'], {}, 2000)).toEqual([]);
    expect(heard(['g', 'x', 's'])).toEqual([]);
    expect(heard(['g', 'toString'])).toEqual([]);
  });

  it('open the palette and the sheet, and go to the search', () => {
    expect(heard(['k'], { ctrl: true })).toEqual([{ kind: 'palette' }]);
    expect(heard(['K'], { meta: true })).toEqual([{ kind: 'palette' }]);
    expect(heard(['Shift', '?'])).toEqual([{ kind: 'sheet' }]);
    expect(heard(['/'])).toEqual([{ kind: 'search' }]);
  });

  it('mean nothing where somebody types, but for the palette', () => {
    for (const keys of [['g', 'f'], ['?'], ['/']]) {
      expect(heard(keys, { inField: true })).toEqual([]);
      expect(heard(keys, { inDialog: true })).toEqual([]);
    }
    expect(heard(['k'], { ctrl: true, inField: true })).toEqual([{ kind: 'palette' }]);
  });

  it('leave the keys of the browser alone', () => {
    for (const more of [{ ctrl: true }, { meta: true }, { alt: true }]) {
      expect(heard(['g', 'f'], more)).toEqual([]);
      expect(heard(['/'], more)).toEqual([]);
    }
    expect(heard(['k'])).toEqual([]);
    expect(heard(['k'], { ctrl: true, alt: true })).toEqual([]);
  });
});
