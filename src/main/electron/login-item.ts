import { homedir } from 'node:os';
import { app } from 'electron';
import { autostartFile } from '../../isomorphic/autostart-file.ts';
import { isAutostartOn, removeAutostart, type StartCommand, windowsWords, writeAutostart } from './autostart.ts';
import type { Places } from './places.ts';
import { readIfThere } from './read-if-there.ts';

/** How the system starts this app: an AppImage by its own file, which its mounted program does not outlive. */
function startCommand({ appImage, startFlags }: Pick<Places, 'appImage' | 'startFlags'>): StartCommand {
  const program = appImage ?? process.execPath;
  return [program, ...(app.isPackaged ? [] : [app.getAppPath()]), '--hidden', ...startFlags];
}

const entryFile = (): string => autostartFile(process.env, homedir());

/** The start of the app when the user logs in. */
export interface LoginItem {
  /** Off until somebody asks for it. */
  isOn(): boolean;
  set(on: boolean): Promise<void>;
}

export function loginItem(places: Pick<Places, 'appImage' | 'startFlags'>): LoginItem {
  const command = startCommand(places);
  const [path, ...args] = windowsWords(command);
  return {
    isOn: () => {
      if (process.platform === 'linux') {
        const entry = readIfThere(entryFile());
        return entry !== null && isAutostartOn(entry);
      }
      if (process.platform !== 'win32') return app.getLoginItemSettings().openAtLogin;
      const { openAtLogin, executableWillLaunchAtLogin } = app.getLoginItemSettings({ path, args });
      // The second says no where the Task Manager has switched it off.
      return openAtLogin && executableWillLaunchAtLogin;
    },
    set: async (on) => {
      if (process.platform === 'linux') return on ? writeAutostart(entryFile(), command) : removeAutostart(entryFile());
      app.setLoginItemSettings({ openAtLogin: on, ...(process.platform === 'win32' ? { path, args } : {}) });
    },
  };
}

/** Whether the system has started the app at log-in; elsewhere than on macOS the argument `--hidden` says so. */
export function wasStartedAtLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}
