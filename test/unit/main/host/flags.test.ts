import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseHostFlags } from '../../../../src/main/host/flags.ts';
import { tempDir } from '../../../support/temp.ts';

const settings = (value: unknown): string => {
  const dir = tempDir('settings-');
  writeFileSync(join(dir, 'settings.json'), typeof value === 'string' ? value : JSON.stringify(value));
  return dir;
};

describe('flags over environment over settings over defaults (wire.md section 1)', () => {
  it('are the documented defaults', () => {
    const flags = parseHostFlags(['--data', tempDir()], {});
    expect(flags).toMatchObject({ port: 4747, portFixed: false, listen: '127.0.0.1', insecure: false });
    expect(flags.retention).toEqual({ days: 30, bytes: 512 * 1024 * 1024 });
  });

  it('win in that order', () => {
    const dir = settings({ port: 5001, retention_days: 3, retention_mb: 4 });
    expect(parseHostFlags(['--data', dir], {})).toMatchObject({
      port: 5001,
      portFixed: true,
      retention: { days: 3, bytes: 4 * 1024 * 1024 },
    });
    const env = { PLATFORM_PORT: '5002', PLATFORM_RETENTION_DAYS: '7', PLATFORM_DATA_DIR: dir };
    expect(parseHostFlags([], env)).toMatchObject({ dataDir: dir, port: 5002, retention: { days: 7 } });
    const args = ['--port', '5003', '--retention-days', '9'];
    expect(parseHostFlags(args, env)).toMatchObject({ port: 5003, retention: { days: 9 } });
  });

  it.each([
    ['--port', 'x'],
    ['--port', '70000'],
    ['--port', '-1'],
    ['--retention-days', '0'],
    ['--retention-mb', '1.5'],
  ])('refuse %s %s', (flag, value) => {
    expect(() => parseHostFlags(['--data', tempDir(), `${flag}=${value}`], {})).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
  });

  it.each(['{', '[]', '{"port":"x"}', '{"colour":"red"}', '{"retention_days":0}'])('refuse the settings %s', (text) => {
    expect(() => parseHostFlags(['--data', settings(text)], {})).toThrow(/settings\.json/);
  });
});
