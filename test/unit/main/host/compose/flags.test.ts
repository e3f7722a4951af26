import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseHostFlags } from '../../../../../src/main/host/compose/flags.ts';
import { tempDir } from '../../../../support/temp.ts';

const settings = (value: unknown): string => {
  const dir = tempDir('settings-');
  writeFileSync(join(dir, 'settings.json'), typeof value === 'string' ? value : JSON.stringify(value));
  return dir;
};

describe('flags over environment over settings over defaults', () => {
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

  it('keep the machine awake only where that is asked for', () => {
    expect(parseHostFlags(['--data', tempDir()], {}).keepAwake).toBe(false);
    expect(parseHostFlags(['--data', tempDir(), '--keep-awake'], {}).keepAwake).toBe(true);
    expect(parseHostFlags(['--data', settings({ keep_awake: true })], {}).keepAwake).toBe(true);
    expect(() => parseHostFlags(['--data', settings({ keep_awake: 'yes' })], {})).toThrow();
  });

  it('say which engine runs bots and where Docker is', () => {
    expect(parseHostFlags(['--data', tempDir()], {})).toMatchObject({ engine: 'auto', dockerHost: null, images: {} });
    const images = { python311: 'python:3.12-slim' };
    const dir = settings({ engine: 'docker', docker_host: 'unix:///a.sock', images });
    const args = ['--data', dir];
    expect(parseHostFlags(args, {})).toMatchObject({ engine: 'docker', dockerHost: 'unix:///a.sock', images });
    const env = { PLATFORM_ENGINE: 'process' };
    expect(parseHostFlags(args, env)).toMatchObject({ engine: 'process' });
    const given = [...args, '--engine', 'auto', '--docker-host', 'unix:///b.sock'];
    expect(parseHostFlags(given, env)).toMatchObject({ engine: 'auto', dockerHost: 'unix:///b.sock' });
  });

  it('refuse an engine that there is not, with those that there are', () => {
    for (const [args, env] of [
      [['--engine', 'podman'], {}],
      [[], { PLATFORM_ENGINE: 'podman' }],
    ] as const) {
      expect(() => parseHostFlags(['--data', tempDir(), ...args], env)).toThrow(
        expect.objectContaining({ code: 'INVALID_REQUEST', hint: 'Give one of auto, docker, sandbox, process.' }),
      );
    }
  });

  it('refuse an image for what is no runtime, with the runtimes', () => {
    const dir = settings({ images: { 'python3.11': 'python:3.12' } });
    expect(() => parseHostFlags(['--data', dir], {})).toThrow(
      /settings\.json images python3\.11: .*python311, nodejs20/,
    );
  });

  it.each([
    '{',
    '[]',
    '{"engine":"podman"}',
    '{"docker_host":""}',
    '{"images":{"java21":""}}',
    '{"port":"x"}',
    '{"colour":"red"}',
    '{"retention_days":0}',
  ])('refuse the settings %s', (text) => {
    expect(() => parseHostFlags(['--data', settings(text)], {})).toThrow(/settings\.json/);
  });
});
