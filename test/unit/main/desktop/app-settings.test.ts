import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../src/contract/errors.ts';
import { AppSettings } from '../../../../src/main/desktop/app-settings.ts';
import { tempDir } from '../../../support/temp.ts';

describe('the settings of the app', () => {
  const settings = (file: string, setCommand: () => Promise<void>) =>
    new AppSettings({
      file,
      version: '1.0.0',
      updates: { state: { at: 'never' }, check: () => Promise.resolve() },
      startsAtLogin: () => false,
      setStartsAtLogin: () => Promise.reject(new Error('EACCES: permission denied')),
      command: { now: () => ({ at: 'missing', file: '/bin/platform', on_path: true }), set: setCommand },
      installUpdate: () => undefined,
      changed: () => undefined,
      onError: () => undefined,
    });

  it('are kept, are as the system says, and say what it refuses', async () => {
    const file = join(tempDir(), 'settings.json');
    const refuse = () => Promise.reject(new PlatformError('NAME_TAKEN', 'taken', { hint: 'move it' }));
    const first = settings(file, refuse);
    expect(first.read()).toMatchObject({ notifications: true, starts_at_login: false });
    expect((await first.change({ notifications: false })).problem).toBeNull();
    expect(settings(file, refuse).notifications).toBe(false);
    expect(await first.change({ starts_at_login: true })).toMatchObject({
      settings: { starts_at_login: false },
      problem: { code: 'INTERNAL', message: expect.stringContaining('EACCES') },
    });
    expect((await first.change({ command: true })).problem).toEqual({
      code: 'NAME_TAKEN',
      message: 'taken',
      hint: 'move it',
    });
    writeFileSync(file, '{');
    expect(settings(file, refuse).notifications).toBe(true);
  });

  it.each([null, {}, { command: 'x' }, { command: true, update: 'check' }, { update: 'run' }, { file: '/etc/passwd' }])(
    'take %j from no page',
    async (asked) => {
      await expect(settings(join(tempDir(), 's'), () => Promise.resolve()).change(asked)).rejects.toThrow();
    },
  );
});
