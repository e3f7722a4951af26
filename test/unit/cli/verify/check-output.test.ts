import { describe, expect, it } from 'vitest';
import { checkOutput, checkResult } from '../../../../src/cli/verify/check-output.ts';
import type { Trial } from '../../../../src/cli/verify/trial.ts';
import { LEDGER_TYPES } from '../../../../src/main/host/ledger/vocabulary.ts';

/** The findings for a bot that printed metrics with this data, by type. */
async function saidOf(metrics: Record<string, object>) {
  const types = Object.entries(metrics).map(([type, data]) => ({ type, count: 1, latest: { data } }));
  const answers: Record<string, unknown> = { 'logs.get': { entries: [] }, 'metrics.get': { types } };
  const client = { call: async (name: string) => answers[name] } as unknown as Trial['client'];
  const checks = await checkOutput({ client }, 'bot_1');
  return checks.find(({ id }) => id === 'metrics');
}

describe('metrics of a bot that is tried', () => {
  it('have numbers, but for signals, whichever comes first', async () => {
    const [signal, spread] = [{ type: 'BUY' }, { symbol: 'SPY', value: '12.50' }];
    expect(await saidOf({ signal, sma: { value: 1 } })).toMatchObject({ level: 'ok' });
    for (const both of [
      { signal, spread },
      { spread, signal },
    ]) {
      expect(await saidOf(both)).toMatchObject({ level: 'note', message: expect.stringContaining('spread') });
    }
  });

  it('may have the digits of the ledger as text', async () => {
    const digits = { symbol: 'SPY', value: '12.50' };
    for (const type of LEDGER_TYPES) expect(await saidOf({ [type]: digits })).toMatchObject({ level: 'ok' });
  });
});

describe('the result of a bot that is tried', () => {
  it('is an object that the host could read', () => {
    const said = (result: unknown) => checkResult({ result, reason: null });
    expect(said({ status: 'success' })).toMatchObject({ level: 'ok' });
    expect(said(null)).toMatchObject({ level: 'note' });
    expect(said([1])).toMatchObject({ level: 'note' });
    expect(said({ unreadable: 'what a bot may say' })).toMatchObject({ level: 'ok' });
    const why = 'the result is not JSON';
    const reason = { code: 'RESULT_UNREADABLE', message: why, hint: null, at: '2026-11-22T00:00:00.000Z' };
    expect(checkResult({ result: { unreadable: why }, reason })).toMatchObject({
      level: 'fault',
      message: expect.stringContaining('not JSON'),
    });
  });
});
