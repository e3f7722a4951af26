import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeWindow, readWindowState, writeWindowState } from '../../../../src/main/desktop/window-state.ts';
import { tempDir } from '../../../support/temp.ts';

describe('the window state', () => {
  const SCREENS = [{ x: 0, y: 0, width: 1920, height: 1080 }];
  const state = (x: number, y: number) => ({ bounds: { x, y, width: 900, height: 700 }, maximized: false });

  it('is read back as it was written, and a damaged one is none', async () => {
    const file = join(tempDir(), 'window.json');
    expect(readWindowState(file)).toBeNull();
    await writeWindowState(file, state(10, 20));
    expect(readWindowState(file)).toEqual(state(10, 20));
    for (const text of [
      '',
      '{',
      '{"bounds":{"x":1}}',
      '{"bounds":{"x":"1","y":2,"width":3,"height":4},"maximized":true}',
    ]) {
      writeFileSync(file, text);
      expect([text, readWindowState(file)]).toEqual([text, null]);
    }
  });

  it('opens the window where it was, unless nobody would see it there', () => {
    expect(placeWindow(state(10, 20), SCREENS)).toEqual({ x: 10, y: 20, width: 900, height: 700 });
    expect(placeWindow(state(-880, 20), SCREENS)).not.toHaveProperty('x');
    expect(placeWindow(state(3000, 20), SCREENS)).not.toHaveProperty('x');
    expect(placeWindow(state(3000, 20), [...SCREENS, { x: 1920, y: 0, width: 1920, height: 1080 }])).toHaveProperty(
      'x',
    );
    expect(placeWindow(null, SCREENS)).toEqual({ width: 1280, height: 820 });
    expect(placeWindow({ bounds: { x: 0, y: 0, width: 5, height: 5 }, maximized: false }, SCREENS)).not.toHaveProperty(
      'x',
    );
  });
});
