import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../src/contract/errors.ts';
import { AppSettings } from '../../../../src/main/desktop/app-settings.ts';
import {
  autostartEntry,
  isAutostartOn,
  removeAutostart,
  writeAutostart,
} from '../../../../src/main/desktop/autostart.ts';
import {
  commandControl,
  commandFile,
  commandNow,
  commandWords,
  installCommand,
  removeCommand,
} from '../../../../src/main/desktop/command-on-path.ts';
import { placesOf } from '../../../../src/main/desktop/places.ts';
import { placeWindow, readWindowState, writeWindowState } from '../../../../src/main/desktop/window-state.ts';
import { autostartFile } from '../../../../src/shared/autostart-file.ts';
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
    expect(isAutostartOn(entry)).toBe(true);
    // So desktops switch an entry off that they did not make.
    expect(isAutostartOn(`${entry}Hidden=true\n`)).toBe(false);
    expect(isAutostartOn(entry.replace('enabled=true', 'enabled=false'))).toBe(false);
    expect(autostartEntry(['/a%b"$`\\c'])).toContain('Exec="/a%%b\\\\"\\\\$\\\\`\\\\\\\\c"');
  });
});

describe.skipIf(process.platform === 'win32')('the entry of the start at login', () => {
  it('takes the place of a link, and not of what that leads to', async () => {
    const dir = tempDir();
    const [menu, file] = [join(dir, 'menu.desktop'), join(dir, 'autostart', 'bot-platform.desktop')];
    writeFileSync(menu, 'the entry in the menu');
    mkdirSync(dirname(file));
    symlinkSync(menu, file);
    await writeAutostart(file, ['/opt/app', '--hidden']);
    expect([readFileSync(menu, 'utf8'), isAutostartOn(readFileSync(file, 'utf8'))]).toEqual([
      'the entry in the menu',
      true,
    ]);
    await removeAutostart(file);
    expect([existsSync(menu), existsSync(file)]).toEqual([true, false]);
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
  const appImage = null;

  it.skipIf(process.platform === 'win32')('runs the command line with its arguments', async () => {
    const home = tempDir();
    writeFileSync(join(home, "it's here.mjs"), 'console.log(JSON.stringify(process.argv.slice(2)))');
    const bin = join(home, '.local', 'bin');
    expect(commandNow(parts(home))).toMatchObject({ at: 'missing', on_path: false });
    const onPath = parts(home, `/usr/bin:${bin}`);
    await installCommand(onPath);
    expect(commandWords(commandNow(onPath))).toContain('Open a new terminal');
    const file = join(bin, 'platform');
    expect(JSON.parse(execFileSync(file, ['a b', '$x'], { encoding: 'utf8' }))).toEqual(['a b', '$x']);
    expect(statSync(file).mode & 0o111).toBe(0o111);
    expect(commandWords(commandNow(parts(home)))).toContain(`Add ${bin} to your PATH`);
    expect(commandNow({ ...parts(home), node: '/elsewhere/node' }).at).toBe('outdated');
    await removeCommand(parts(home));
    expect([existsSync(file), commandNow(parts(home)).at]).toEqual([false, 'missing']);
  });

  it('leaves the program of somebody else alone', async () => {
    const home = tempDir();
    const { file } = commandFile(parts(home));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\necho other\n');
    await expect(installCommand(parts(home))).rejects.toThrow("another program's");
    await expect(removeCommand(parts(home))).rejects.toThrow("another program's");
    expect(commandNow(parts(home)).at).toBe('foreign');
    expect(readFileSync(file, 'utf8')).toContain('echo other');
  });

  it("is not there, or is somebody else's, where no file can be read: the settings can be shown all the same", async () => {
    const [folder, file] = [tempDir(), tempDir()];
    mkdirSync(join(folder, '.local/bin/platform'), { recursive: true });
    expect(commandNow(parts(folder)).at).toBe('foreign');
    await expect(installCommand(parts(folder))).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    writeFileSync(join(file, '.local'), '');
    expect(commandNow(parts(file)).at).toBe('missing');
  });

  it.skipIf(process.platform === 'win32')('leaves the link of somebody else alone that leads nowhere', async () => {
    const home = tempDir();
    const { file } = commandFile(parts(home));
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync('/mnt/away/platform', file);
    await expect(installCommand(parts(home))).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    await expect(removeCommand(parts(home))).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    expect([commandNow(parts(home)).at, readlinkSync(file)]).toEqual(['foreign', '/mnt/away/platform']);
  });

  it('is nothing that an AppImage, or an installation without a Node, could bring along', async () => {
    const home = tempDir();
    const { node, ...rest } = parts(home);
    for (const control of [
      commandControl({ ...rest, appImage, node: null }),
      commandControl({ ...rest, appImage: '/a.AppImage', node }),
    ]) {
      expect(control.now()).toMatchObject({ at: 'impossible' });
      await expect(control.set(true)).rejects.toThrow('cannot bring the command along');
    }
    expect(commandControl({ ...rest, appImage, node }).now().at).toBe('missing');
  });

  it('is a batch file on Windows', () => {
    const given = {
      ...parts('C:\\Users\\a'),
      platform: 'win32' as const,
      env: { LOCALAPPDATA: 'C:\\L' },
      node: 'n%PATH%.exe',
    };
    const { file, text } = commandFile(given);
    expect(file).toMatch(/WindowsApps.platform\.cmd$/);
    expect(text).toMatch(/^@rem .*\r\n@"n%%PATH%%\.exe" ".*" %\*\r\n$/);
  });
});

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

describe('placesOf', () => {
  const start = {
    execPath: '/opt/app/bot-platform',
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

  it('takes no other program for its AppImage, from whose terminal it was started', () => {
    const env = { APPIMAGE: '/home/a/Editor.AppImage', APPDIR: '/tmp/.mount_Editor1' };
    expect(placesOf({ ...start, env }).appImage).toBeNull();
    expect(placesOf({ ...start, env, execPath: '/tmp/.mount_Editor12/bot-platform' }).appImage).toBeNull();
    const own = placesOf({ ...start, env, execPath: '/tmp/.mount_Editor1/bot-platform' });
    expect(own.appImage).toBe('/home/a/Editor.AppImage');
  });

  it('leads a start by the system to the folder that it runs on', () => {
    expect(placesOf(start).startFlags).toEqual(['--', '--data', '/data']);
    const usual = placesOf({ ...start, env: {} });
    expect(usual.startFlags).toEqual([]);
    const argv = ['/opt/app/bot-platform', '--hidden', ...placesOf(start).startFlags];
    expect(placesOf({ ...start, env: {}, argv })).toMatchObject({ dataDir: '/data', hidden: true });
  });

  it('lets no environment lead an installed app to another page', () => {
    expect(placesOf(start).developedAt).toBeNull();
    expect(placesOf({ ...start, isPackaged: false }).developedAt).toBe('http://evil.example');
  });

  it('takes no flags where a link has started it: whoever wrote the link may have written them', () => {
    const led = (link: string) => ['/opt/app/bot-platform', link, '--', '--data', '/evil', '--node', '/evil/node'];
    for (const link of ['platform://fleet', 'PLATFORM://fleet', 'Platform:']) {
      const places = placesOf({ ...start, argv: led(link) });
      expect([link, places]).toEqual([link, expect.objectContaining({ dataDir: '/data', node: null, hostFlags: [] })]);
    }
    const argv = led('platform://fleet');
    expect(placesOf({ ...start, argv, isPackaged: false })).toMatchObject({ dataDir: '/evil', node: '/evil/node' });
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
