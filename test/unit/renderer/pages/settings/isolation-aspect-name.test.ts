import { expect, it } from 'vitest';
import { isolationAspectName } from '../../../../../src/renderer/pages/settings/isolation-aspect-name.ts';

it('calls what engines isolate by its name', () => {
  expect([isolationAspectName('cpu'), isolationAspectName('files')]).toEqual(['CPU', 'Files']);
});
