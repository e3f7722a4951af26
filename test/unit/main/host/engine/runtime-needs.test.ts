import { describe, expect, it } from 'vitest';
import { needsOf } from '../../../../../src/main/host/engine/runtime-needs.ts';
import { RUNTIME_IDS } from '../../../../../src/runtimes/registry.ts';

describe('what a runtime needs', () => {
  it('is known of each', () => {
    for (const id of RUNTIME_IDS) expect(Object.keys(needsOf(id).descriptor.summary.runtimes)).toContain(id);
  });

  it.each(['python2', 'toString', ''])('is refused for %j with those that there are', (runtime) => {
    expect(() => needsOf(runtime)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', hint: expect.stringContaining('python311, nodejs20') }),
    );
  });
});
