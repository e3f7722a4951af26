import { describe, expect, it } from 'vitest';
import { fixLink } from '../../../../../src/renderer/pages/bot/failure-fix.ts';

const BOT = { bot_id: 'bot_1', type: 'realtime/sma' as const, version: '1.0.1' };

describe('the place where a cause is removed', () => {
  it('is the field of the setting, with hostile names as text', () => {
    expect(fixLink(BOT, { kind: 'config', key: 'a"]&x=1' })).toEqual({
      label: 'Set a"]&x=1',
      href: '/bots/bot_1/config?setting=a%22%5D%26x%3D1',
    });
  });

  it('is the option', () => {
    expect(fixLink(BOT, { kind: 'option', option: 'memory_mb' })).toEqual({
      label: 'Raise the memory',
      href: '/bots/bot_1/settings?option=memory_mb',
    });
  });

  it('is the line of the version that failed', () => {
    expect(fixLink(BOT, { kind: 'code', file: 'src/a b.py', line: 11 })).toEqual({
      label: 'Show src/a b.py:11',
      href: '/custom-bots/sma/files?version=1.0.1&file=src%2Fa%20b.py&line=11',
    });
  });

  it('is nowhere where the failure names none', () => {
    expect(fixLink(BOT, null)).toBeNull();
  });
});
