import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { OPERATIONS } from '../../../../../src/contract/operations.ts';
import { checkInput } from '../../../../../src/main/host/api/check-input.ts';

function problemsOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof PlatformError) return [error.code, error.details];
  }
  throw new Error('nothing was refused');
}

describe('checkInput', () => {
  it('lists every problem with its path', () => {
    const [code, details] = problemsOf(() =>
      checkInput(OPERATIONS['bots.deploy'].input, { name: '', type: 'daily/x', config: 7 }),
    ) as [string, { path: string; message: string }[]];
    expect(code).toBe('INVALID_REQUEST');
    expect(details.map((one) => one.path).sort()).toEqual(['config', 'name', 'type', 'version']);
    expect(details.find((one) => one.path === 'version')?.message).toBe('is missing');
  });

  it('suggests the field that was meant', () => {
    const [, details] = problemsOf(() => checkInput(OPERATIONS['logs.get'].input, { bot_id: 'bot_1', limitt: 5 })) as [
      string,
      unknown[],
    ];
    expect(details).toEqual([
      { path: 'limitt', message: 'is not a field of this operation', hint: 'Did you mean limit?' },
    ]);
  });

  it('keeps a config key named __proto__ as data', () => {
    const request = JSON.parse(
      '{"name":"n","type":"realtime/abc","version":"1.0.0","config":{"__proto__":{"polluted":1}}}',
    );
    const parsed = checkInput(OPERATIONS['bots.deploy'].input, request);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect((parsed.config as { polluted?: number } | undefined)?.polluted).toBeUndefined();
  });
});
