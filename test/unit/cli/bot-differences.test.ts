import { describe, expect, it } from 'vitest';
import { botDifferences } from '../../../src/cli/bot-differences.ts';
import { sampleBot } from './sample-bot.ts';

describe('botDifferences', () => {
  it('names fields, options and each key of the config', () => {
    const before = sampleBot({ config: { interval_ms: 5000, symbol: 'SPY', same: [1] }, options: { memory_mb: 64 } });
    const after = sampleBot({
      name: 'other',
      version: '1.1.0',
      schedule: '0 15 * * *',
      config: { interval_ms: 1000, same: [1], levels: [1, 2] },
    });
    expect(botDifferences(before, after)).toEqual([
      'name: portfolio -> other',
      'version: 1.0.0 -> 1.1.0',
      'schedule: 0 14 * * 1-5 -> 0 15 * * *',
      'options.memory_mb removed (was 64)',
      'config.interval_ms: 5000 -> 1000',
      'config.symbol removed (was SPY)',
      'config.levels: [1,2] (new)',
    ]);
  });

  it('is empty when nothing changed', () => {
    expect(botDifferences(sampleBot(), sampleBot({ updated_at: '2026-01-02T00:00:00.000Z' }))).toEqual([]);
  });

  it('tells a secret that was given anew, which records show masked before and after', () => {
    const masked = { api_key: '********', token: '********' };
    const given = { api_key: 'fresh', token: '********' };
    expect(botDifferences(sampleBot({ config: masked }), sampleBot({ config: masked }), given)).toEqual([
      'config.api_key set',
    ]);
    expect(botDifferences(sampleBot({ config: {} }), sampleBot({ config: masked }), given)).toEqual([
      'config.token: ******** (new)',
      'config.api_key set',
    ]);
  });

  it('lets nothing through that moves the cursor, and cuts what is long', () => {
    const [line = ''] = botDifferences(sampleBot(), sampleBot({ config: { symbol: `\u001b[2J${'x'.repeat(100)}` } }));
    expect(line).toMatch(/^config\.symbol: SPY -> ␛\[2Jx+…$/);
  });
});
