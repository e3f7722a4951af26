import { describe, expect, it } from 'vitest';
import { denyPermissions } from '../../../../src/main/desktop/permissions.ts';

describe('what a page may be given', () => {
  it('is asked of the rule by each of the handlers that Electron knows', () => {
    const origin = 'http://127.0.0.1:4747';
    const handlers = new Map<string, (...args: unknown[]) => unknown>();
    const kept = (name: string) => (handler: (...args: unknown[]) => unknown) => handlers.set(name, handler);
    const session = {
      setPermissionRequestHandler: kept('request'),
      setPermissionCheckHandler: kept('check'),
      setDevicePermissionHandler: kept('device'),
    };
    denyPermissions(session as unknown as Parameters<typeof denyPermissions>[0], () => origin);
    const requested = (permission: string): unknown => {
      let answer: unknown;
      const told = (given: unknown): void => {
        answer = given;
      };
      handlers.get('request')?.(null, permission, told, { requestingUrl: `${origin}/` });
      return answer;
    };
    expect([...handlers.keys()].sort()).toEqual(['check', 'device', 'request']);
    for (const permission of [
      'media',
      'geolocation',
      'notifications',
      'clipboard-read',
      'openExternal',
      'fileSystem',
    ]) {
      const given = [requested(permission), handlers.get('check')?.(null, permission, origin, {})];
      expect([permission, ...given]).toEqual([permission, false, false]);
    }
    const copy = 'clipboard-sanitized-write';
    expect([requested(copy), handlers.get('check')?.(null, copy, origin, {})]).toEqual([true, true]);
    expect(handlers.get('device')?.({ deviceType: 'usb', origin })).toBe(false);
  });
});
