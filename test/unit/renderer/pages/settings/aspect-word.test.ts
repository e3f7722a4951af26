import { expect, it } from 'vitest';
import { aspectWord } from '../../../../../src/renderer/pages/settings/aspect-word.ts';

it('calls what engines isolate by its name', () => {
  expect([aspectWord('cpu'), aspectWord('files')]).toEqual(['CPU', 'Files']);
});
