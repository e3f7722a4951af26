import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { app } from 'electron';
import { autostartFile } from '../../isomorphic/autostart-file.ts';
import { autostartEntry, isAutostartOn, type StartCommand } from './autostart.ts';
import { readIfThere } from './read-if-there.ts';

/** How the system starts this app: an AppImage by its own file, which its mounted program does not outlive. */
function startCommand(): StartCommand {
  const program = process.env.APPIMAGE ?? process.execPath;
  return app.isPackaged ? [program, '--hidden'] : [program, app.getAppPath(), '--hidden'];
}

/** Whether the app starts when the user logs in. Off until somebody asks for it. */
export function startsAtLogin(): boolean {
  if (process.platform === 'linux') {
    const entry = readIfThere(autostartFile(process.env, homedir()));
    return entry !== null && isAutostartOn(entry);
  }
  const [path, ...args] = startCommand();
  if (process.platform !== 'win32') return app.getLoginItemSettings().openAtLogin;
  const { openAtLogin, executableWillLaunchAtLogin } = app.getLoginItemSettings({ path, args });
  // The second says no where the Task Manager has switched it off.
  return openAtLogin && executableWillLaunchAtLogin;
}

export async function setStartsAtLogin(on: boolean): Promise<void> {
  const [path, ...args] = startCommand();
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: on, ...(process.platform === 'win32' ? { path, args } : {}) });
    return;
  }
  const file = autostartFile(process.env, homedir());
  if (!on) return rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, autostartEntry([path, ...args]));
}

/** Whether the system has started the app at log-in; elsewhere than on macOS the argument `--hidden` says so. */
export function wasStartedAtLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}
