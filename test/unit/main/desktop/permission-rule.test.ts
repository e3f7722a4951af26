import { describe, expect, it } from 'vitest';
import { isAllowed } from '../../../../src/main/desktop/permission-rule.ts';

describe('isAllowed', () => {
  it('lets the dashboard copy, and nothing else, and nobody else', () => {
    const origin = 'http://127.0.0.1:4747';
    expect(isAllowed('clipboard-sanitized-write', `${origin}/bots/x`, origin)).toBe(true);
    expect(isAllowed('clipboard-sanitized-write', 'https://evil.example/', origin)).toBe(false);
    expect(isAllowed('clipboard-sanitized-write', `${origin}/`, null)).toBe(false);
    for (const permission of [
      'clipboard-read',
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'hid',
      'usb',
    ]) {
      expect([permission, isAllowed(permission, `${origin}/`, origin)]).toEqual([permission, false]);
    }
  });
});
