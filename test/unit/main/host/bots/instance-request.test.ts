import { describe, expect, it } from 'vitest';
import { DeployRequest } from '../../../../../src/contract/bot.ts';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { readDeployRequest, readUpdateRequest } from '../../../../../src/main/host/bots/instance-request.ts';

const base = { name: 'sma', type: 'realtime/sma-crossover', version: '1.0.0' };

function problemOf(work: () => unknown): PlatformError {
  try {
    work();
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('deployment request', () => {
  it('reads the nested form', () => {
    const request = readDeployRequest(DeployRequest.parse({ ...base, config: { symbol: 'SPY' } }));
    expect(request).toEqual({
      name: 'sma',
      type: 'realtime',
      customBot: 'sma-crossover',
      version: '1.0.0',
      schedule: null,
      timezone: null,
      enabled: true,
      options: {},
      config: { symbol: 'SPY' },
      flat: false,
    });
  });

  it('takes a time zone of the nested form for the schedule, of the flat form for a setting of the bot', () => {
    const scheduled = { ...base, type: 'scheduled/sma-crossover', schedule: '* * * * *', timezone: 'Europe/Berlin' };
    const nested = readDeployRequest(DeployRequest.parse({ ...scheduled, config: {} }));
    expect(nested).toMatchObject({ timezone: 'Europe/Berlin', config: {} });
    const flat = readDeployRequest(DeployRequest.parse(scheduled));
    expect(flat).toMatchObject({ timezone: null, config: { timezone: 'Europe/Berlin' } });
    expect(() => readDeployRequest(DeployRequest.parse({ ...scheduled, timezone: 2, config: {} }))).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
  });

  it('reads the flat form: every other key is config', () => {
    const request = readDeployRequest(DeployRequest.parse({ ...base, enabled: false, symbol: 'SPY', options: 3 }));
    expect(request).toMatchObject({ flat: true, enabled: false, config: { symbol: 'SPY', options: 3 }, options: {} });
  });

  it('refuses settings beside config and says where they belong', () => {
    const error = problemOf(() => readDeployRequest(DeployRequest.parse({ ...base, config: {}, symbol: 'SPY' })));
    expect(error.code).toBe('INVALID_REQUEST');
    expect(error.message).toContain('symbol: unknown key');
    expect(error.message).toContain('inside "config"');
  });

  it('refuses unknown options', () => {
    const error = problemOf(() =>
      readDeployRequest(DeployRequest.parse({ ...base, config: {}, options: { overlap: 'maybe' } })),
    );
    expect(error.details).toMatchObject([{ path: 'options.overlap' }]);
  });

  it.each([
    ['a version of two parts', { version: '1.0' }],
    ['a type without a half', { type: 'sma-crossover' }],
    ['an empty name', { name: '' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
  ])('refuses %s', (_, change) => {
    expect(DeployRequest.safeParse({ ...base, config: {}, ...change }).success).toBe(false);
  });

  it.each(['a b', '"quoted"', '🚀'.repeat(100), 'Grüße'])('takes the name %s', (name) => {
    expect(DeployRequest.safeParse({ ...base, config: {}, name }).success).toBe(true);
  });
});

describe('update', () => {
  it('changes only what it names', () => {
    expect(readUpdateRequest({ bot_id: 'bot_1', version: '1.0.1' }, false)).toEqual({ version: '1.0.1' });
  });

  it('reads flat settings as config, for a bot that was deployed so', () => {
    expect(readUpdateRequest({ bot_id: 'bot_1', symbol: 'QQQ' }, true)).toEqual({ config: { symbol: 'QQQ' } });
  });

  it('never takes a mistyped key for the whole config of any other bot', () => {
    const error = problemOf(() => readUpdateRequest({ bot_id: 'bot_1', versoin: '9.0.0' }, false));
    expect(error.details).toMatchObject([{ path: 'versoin', hint: 'Did you mean "version"?' }]);
  });
});
