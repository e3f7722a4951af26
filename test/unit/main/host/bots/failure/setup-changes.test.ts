import { describe, expect, it } from 'vitest';
import { type Setup, setupChanges } from '../../../../../../src/main/host/bots/failure/setup-changes.ts';

const HIDDEN = '********';

function setup(config: Record<string, unknown>, over: Partial<Setup> = {}): Setup {
  const shown = { ...config, ...('api_key' in config ? { api_key: HIDDEN } : {}) };
  return {
    version: '1.0.0',
    runtime: 'python311',
    engine: 'process',
    schedule: null,
    timezone: 'UTC',
    options: {},
    config,
    shown,
    secrets: [],
    ...over,
  };
}

const configText = (before: Record<string, unknown>, after: Record<string, unknown>): string | undefined =>
  setupChanges(setup(before), setup(after)).find(({ what }) => what === 'config')?.message;

describe('setupChanges', () => {
  it('says nothing when nothing changed', () => {
    expect(setupChanges(setup({ a: 1, b: { c: [1] } }), setup({ a: 1, b: { c: [1] } }))).toEqual([]);
  });

  it('names version, runtime, config, schedule and options, from and to', () => {
    const before = setup({ n: 5 }, { schedule: '0 14 * * 1-5', options: { memory_mb: 64 } });
    const after = setup(
      { n: 50 },
      {
        version: '1.1.0',
        runtime: 'python312',
        schedule: '0 15 * * *',
        timezone: 'Asia/Tokyo',
        options: { memory_mb: 32, overlap: 'allow' },
      },
    );
    expect(setupChanges(before, after)).toEqual([
      { what: 'version', message: 'Version 1.0.0 → 1.1.0' },
      { what: 'engine', message: 'Runtime python311 → python312' },
      { what: 'config', message: 'Config: n 5 → 50' },
      { what: 'schedule', message: 'Schedule 0 14 * * 1-5 → 0 15 * * *' },
      { what: 'schedule', message: 'Time zone UTC → Asia/Tokyo' },
      { what: 'options', message: 'Options: memory_mb 64 → 32, overlap added' },
    ]);
  });

  it('names keys that came and went, and members of objects', () => {
    expect(configText({ a: true, risk: { max: 1, min: 0 } }, { risk: { max: 2, min: 0 }, fast: 3 })).toBe(
      'Config: a removed (was true), risk.max 1 → 2, fast added (3)',
    );
  });

  it('never tells a text, and of a secret nothing but its key', () => {
    const text = configText(
      { api_key: 'old-secret', symbol: 'AAPL', list: ['x'] },
      { api_key: 'new-secret', symbol: 'MSFT', list: ['y'] },
    );
    expect(text).toBe('Config: api_key changed, symbol changed, list changed');
    expect(configText({ api_key: 111_222 }, { api_key: 333_444 })).toBe('Config: api_key changed');
    expect(configText({}, { api_key: 333_444 })).toBe('Config: api_key added');
  });

  it('masks names of settings that hold a secret, of the config before or after', () => {
    const secret = 'hunter2-of-an-exchange';
    const before = setup({ [`key ${secret}`]: { max: 1 }, pair: 1 }, { secrets: [secret] });
    const text = setupChanges(before, setup({ pair: 2, [`postgres://u:${'pass-word'}@db`]: 3 }))[0]?.message ?? '';
    expect(text).not.toContain(secret);
    expect(text).not.toContain('pass-word');
    expect(text).toContain('pair 1 → 2');
    expect(text).toMatch(/key \*\*\* removed/);
    expect(setupChanges(setup({}), setup({ [`a ${secret}`]: 1 }, { secrets: [secret] }))[0]?.message).toBe(
      'Config: a *** added (1)',
    );
  });

  it('stays short', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`key${n}${'x'.repeat(500)}`, n]));
    const text = configText({}, many) ?? '';
    expect(text).toMatch(/ and 30 more$/);
    expect(text.length).toBeLessThan(1500);
  });

  it('takes keys as data', () => {
    expect(configText({}, JSON.parse('{"__proto__": 3, "constructor": 4}'))).toBe(
      'Config: __proto__ added (3), constructor added (4)',
    );
  });
});
