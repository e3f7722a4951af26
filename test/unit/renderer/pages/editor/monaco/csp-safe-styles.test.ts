import { expect, it } from 'vitest';
import { heldBack } from '../../../../../../src/renderer/pages/editor/monaco/csp-safe-styles.ts';

it('holds the styles of tags back, and leaves texts as they are', () => {
  expect(heldBack('<div style="top:1px" class="a"> style="x" &lt;b style="y"&gt;</div>')).toBe(
    '<div data-held-style="top:1px" class="a"> style="x" &lt;b style="y"&gt;</div>',
  );
});
