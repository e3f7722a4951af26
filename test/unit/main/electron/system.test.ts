import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { autostartEntry, autostartFile } from '../../../../src/main/electron/autostart.ts';
import { commandFile, installCommand } from '../../../../src/main/electron/command-on-path.ts';
import { placesOf } from '../../../../src/main/electron/places.ts';
import { placeWindow, readWindowState, writeWindowState } from '../../../../src/main/electron/window-state.ts';
import { tempDir } from '../../../support/temp.ts';

describe('the window state', () => {
  const SCREENS = [{ x: 0, y: 0, width: 1920, height: 1080 }];
  const state = (x: number, y: number) => ({ bounds: { x, y, width: 900, height: 700 }, maximized: false });

  it('is read back as it was written, and a damaged one is none', async () => {
    const file = join(tempDir(), 'window.json');
    expect(readWindowState(file)).toBeNull();
    await writeWindowState(file, state(10, 20));
    expect(readWindowState(file)).toEqual(state(10, 20));
    for (const text of [
      '',
      '{',
      '{"bounds":{"x":1}}',
      '{"bounds":{"x":"1","y":2,"width":3,"height":4},"maximized":true}',
    ]) {
      writeFileSync(file, text);
      expect([text, readWindowState(file)]).toEqual([text, null]);
    }
  });

  it('opens the window where it was, unless nobody would see it there', () => {
    expect(placeWindow(state(10, 20), SCREENS)).toEqual({ x: 10, y: 20, width: 900, height: 700 });
    expect(placeWindow(state(-880, 20), SCREENS)).not.toHaveProperty('x');
    expect(placeWindow(state(3000, 20), SCREENS)).not.toHaveProperty('x');
    expect(placeWindow(state(3000, 20), [...SCREENS, { x: 1920, y: 0, width: 1920, height: 1080 }])).toHaveProperty(
      'x',
    );
    expect(placeWindow(null, SCREENS)).toEqual({ width: 1280, height: 820 });
    expect(placeWindow({ bounds: { x: 0, y: 0, width: 5, height: 5 }, maximized: false }, SCREENS)).not.toHaveProperty(
      'x',
    );
  });
});

describe('the start at login on Linux', () => {
  it('stands where desktops look', () => {
    expect(autostartFile({}, '/home/a')).toBe('/home/a/.config/autostart/bot-platform.desktop');
    expect(autostartFile({ XDG_CONFIG_HOME: '/c' }, '/home/a')).toBe('/c/autostart/bot-platform.desktop');
    expect(autostartFile({ XDG_CONFIG_HOME: 'c' }, '/home/a')).toBe('/home/a/.config/autostart/bot-platform.desktop');
  });

  it('starts the app without a window, whatever its path is', () => {
    const entry = autostartEntry(['/opt/Bot Platform/app', '--hidden']);
    expect(entry).toContain('Exec="/opt/Bot Platform/app" "--hidden"\n');
    expect(autostartEntry(['/a%b"$`\\c'])).toContain('Exec="/a%%b\\\\"\\\\$\\\\`\\\\\\\\c"');
  });
});

describe('the command on the PATH', () => {
  const parts = (home: string, path = '/usr/bin') => ({
    platform: 'linux' as const,
    env: { PATH: path },
    home,
    node: process.execPath,
    program: join(home, "it's here.mjs"),
  });

  it.skipIf(process.platform === 'win32')('runs the command line with its arguments', async () => {
    const home = tempDir();
    writeFileSync(join(home, "it's here.mjs"), 'console.log(JSON.stringify(process.argv.slice(2)))');
    const bin = join(home, '.local', 'bin');
    expect(await installCommand(parts(home, `/usr/bin:${bin}`))).toContain('Open a new terminal');
    const file = join(bin, 'platform');
    expect(JSON.parse(execFileSync(file, ['a b', '$x'], { encoding: 'utf8' }))).toEqual(['a b', '$x']);
    expect(statSync(file).mode & 0o111).toBe(0o111);
    expect(await installCommand(parts(home))).toContain(`Add ${bin} to your PATH`);
  });

  it('leaves the program of somebody else alone', async () => {
    const home = tempDir();
    const { file } = commandFile(parts(home));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\necho other\n');
    expect(await installCommand(parts(home))).toContain("another program's");
    expect(readFileSync(file, 'utf8')).toContain('echo other');
  });

  it('is a batch file on Windows', () => {
    const given = {
      ...parts('C:\\Users\\a'),
      platform: 'win32' as const,
      env: { LOCALAPPDATA: 'C:\\L' },
      node: 'n.exe',
    };
    const { file, text } = commandFile(given);
    expect(file).toMatch(/WindowsApps.platform\.cmd$/);
    expect(text).toMatch(/^@rem .*\r\n@"n\.exe" ".*" %\*\r\n$/);
  });
});

describe('placesOf', () => {
  const start = {
    appPath: '/opt/app/resources/app.asar',
    resourcesPath: '/opt/app/resources',
    isPackaged: true,
    argv: ['/opt/app/bot-platform'],
    env: { PLATFORM_DATA_DIR: '/data', ELECTRON_RENDERER_URL: 'http://evil.example' },
    platform: 'linux' as const,
    arch: 'x64',
  };

  it('finds what runs as files beside the archive, and loads the preload script from within', () => {
    const places = placesOf(start);
    expect(places.serveFile).toBe('/opt/app/resources/app.asar.unpacked/out/main/serve.js');
    expect(places.preload).toBe('/opt/app/resources/app.asar/out/preload/index.cjs');
    expect(places).toMatchObject({ dataDir: '/data', ownDir: '/data/desktop', hidden: false, hostFlags: [] });
  });

  it('lets no environment lead an installed app to another page', () => {
    expect(placesOf(start).developedAt).toBeNull();
    expect(placesOf({ ...start, isPackaged: false }).developedAt).toBe('http://evil.example');
  });

  it('takes data folder and Node out of the flags after --, and leaves the rest to the host', () => {
    const argv = ['/e', '/app', '--hidden', '--', '--data', '/other', '--port=5', '--node=/n', '--engine', 'process'];
    expect(placesOf({ ...start, argv })).toMatchObject({
      dataDir: '/other',
      node: '/n',
      hidden: true,
      hostFlags: ['--port=5', '--engine', 'process'],
    });
  });
});
