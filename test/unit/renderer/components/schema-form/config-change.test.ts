import { describe, expect, it } from 'vitest';
import { changeOf, differences } from '../../../../../src/renderer/components/schema-form/config-change.ts';

describe('changes', () => {
  it('tells them setting by setting', () => {
    expect(differences({ a: 1, o: { x: 1, y: 2 } }, { o: { x: 1, y: 3 }, n: [1] })).toEqual([
      { path: ['a'], before: 1, after: undefined },
      { path: ['o', 'y'], before: 2, after: 3 },
      { path: ['n'], before: undefined, after: [1] },
    ]);
    expect(differences({}, { o: {} })).toEqual([{ path: ['o'], before: undefined, after: {} }]);
  });

  it('are sent as a patch that names nothing else', () => {
    expect(changeOf({ a: 1, key: '********', o: { x: 1, y: 2 } }, { key: '********', o: { x: 1, y: 3 } })).toEqual({
      config_patch: { a: null, o: { y: 3 } },
    });
  });

  it('are sent whole where null is a value', () => {
    expect(changeOf({ a: 1 }, { a: null })).toEqual({ config: { a: null } });
  });
});
