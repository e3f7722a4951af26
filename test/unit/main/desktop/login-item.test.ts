import { describe, expect, it, vi } from 'vitest';
import { loginItem, wasStartedAtLogin } from '../../../../src/main/desktop/login-item.ts';
import { tempDir } from '../../../support/temp.ts';

type App = Parameters<typeof loginItem>[0];
type Question = Parameters<App['getLoginItemSettings']>[0];
type Answer = ReturnType<App['getLoginItemSettings']>;
type Settings = Parameters<App['setLoginItemSettings']>[0];

const PLACES = { appImage: null, startFlags: ['--data', '/d ata'] };

/** Electron's part: it records calls and gives fixed answers. */
function fakeApp(answer: Partial<Answer> = {}, isPackaged = true) {
  const asked: Question[] = [];
  const told: Settings[] = [];
  const app = {
    isPackaged,
    getAppPath: () => '/the/app',
    getLoginItemSettings: (question?: Question) => {
      asked.push(question);
      return answer as Answer;
    },
    setLoginItemSettings: (settings: Settings) => void told.push(settings),
  };
  return { app, asked, told };
}

describe('the start at log-in', () => {
  it('is an entry of the desktop on Linux, and Electron is not asked', async ({ onTestFinished }) => {
    vi.stubEnv('XDG_CONFIG_HOME', tempDir());
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const { app, asked, told } = fakeApp();
    const item = loginItem(app, { ...PLACES, appImage: '/apps/Bot.AppImage' }, 'linux');
    const seen = [item.isOn()];
    for (const on of [true, false]) {
      await item.set(on);
      seen.push(item.isOn());
    }
    expect(seen).toEqual([false, true, false]);
    expect([asked, told]).toEqual([[], []]);
  });

  it('is on by the word of the system on macOS, which starts the app itself', async () => {
    const { app, told } = fakeApp({ openAtLogin: true });
    const item = loginItem(app, PLACES, 'darwin');
    expect(item.isOn()).toBe(true);
    await item.set(false);
    expect(told).toEqual([{ openAtLogin: false }]);
  });

  it('is a command on Windows, and off where the Task Manager has switched it off', async () => {
    const path = process.execPath;
    const args = ['/the/app', '--hidden', ...PLACES.startFlags];
    const { app, asked, told } = fakeApp({ openAtLogin: true, executableWillLaunchAtLogin: false }, false);
    const item = loginItem(app, PLACES, 'win32');
    expect(item.isOn()).toBe(false);
    expect(asked).toEqual([
      { path: `"${path}"`, args },
      { path, args },
    ]);
    await item.set(true);
    expect(told).toEqual([{ openAtLogin: true, path, args }]);
    const on = fakeApp({ openAtLogin: true, executableWillLaunchAtLogin: true });
    expect(loginItem(on.app, PLACES, 'win32').isOn()).toBe(true);
  });

  it('is known to have been one by the system on macOS alone', () => {
    const { app } = fakeApp({ wasOpenedAtLogin: true });
    expect((['darwin', 'win32', 'linux'] as const).map((platform) => wasStartedAtLogin(app, platform))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
