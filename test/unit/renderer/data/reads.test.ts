import { describe, expect, it } from 'vitest';
import { type CallName, OPERATIONS } from '../../../../src/contract/operations.ts';
import { isRead } from '../../../../src/renderer/data/reads.ts';

const CALLS = Object.entries(OPERATIONS).filter(([, { kind }]) => kind === 'call');
/** They need no more than the right to read, and yet something is done, or somebody waits for it at this moment. */
const DO_SOMETHING = ['auth.logout', 'bots.query', 'custom_bots.validate'];

describe('reads', () => {
  it.each(CALLS)('knows whether %s changes anything', (name, { method, access }) => {
    const reads = isRead(name as CallName);
    expect(reads).toBe(method === 'GET');
    if (access === 'read') expect(reads).toBe(!DO_SOMETHING.includes(name));
    if (access === 'operate' || access === 'write') expect(reads).toBe(false);
  });
});
