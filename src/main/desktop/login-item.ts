import { homedir } from 'node:os';
import type { App } from 'electron';
import { autostartFile } from '../../shared/autostart-file.ts';
import type { Places } from './app-paths-and-flags.ts';
import { isAutostartOn, removeAutostart, type StartCommand, writeAutostart } from './linux-autostart.ts';
import { readIfThere } from './read-if-there.ts';

/** The part of Electron's API in use. */
type LoginApp = Pick<App, 'isPackaged' | 'getAppPath' | 'getLoginItemSettings' | 'setLoginItemSettings'>;

type StartPlaces = Pick<Places, 'appImage' | 'startFlags'>;

/**
 * Returns the command with which the system starts this app: for an AppImage its own file, which its mounted program does not
 * outlive.
 */
function startCommand(app: LoginApp, { appImage, startFlags }: StartPlaces): StartCommand {
  const program = appImage ?? process.execPath;
  return [program, ...(app.isPackaged ? [] : [app.getAppPath()]), '--hidden', ...startFlags];
}

const entryFile = (): string => autostartFile(process.env, homedir());

/** The start of the app when the user logs in. */
export interface LoginItem {
  /** Off until the user turns it on. */
  isOn(): boolean;
  set(on: boolean): Promise<void>;
}

/**
 * Returns the login item as the system keeps it: an entry for the desktops of Linux, which Electron does not support, else a row
 * of the system's own list.
 */
export function loginItem(app: LoginApp, places: StartPlaces, platform = process.platform): LoginItem {
  const [path, ...args] = startCommand(app, places);
  return {
    isOn: () => {
      if (platform === 'linux') {
        const entry = readIfThere(entryFile());
        return entry !== null && isAutostartOn(entry);
      }
      if (platform !== 'win32') return app.getLoginItemSettings().openAtLogin;
      // The second says no where the Task Manager has switched it off. It reads the path as a command line, the first as it is.
      const { executableWillLaunchAtLogin } = app.getLoginItemSettings({ path: `"${path}"`, args });
      return app.getLoginItemSettings({ path, args }).openAtLogin && executableWillLaunchAtLogin;
    },
    set: async (on) => {
      if (platform === 'linux') return on ? writeAutostart(entryFile(), [path, ...args]) : removeAutostart(entryFile());
      // Electron quotes the words where they need it.
      app.setLoginItemSettings({ openAtLogin: on, ...(platform === 'win32' ? { path, args } : {}) });
    },
  };
}

/** True if the system has started the app at log-in. Only macOS tells; elsewhere the argument `--hidden` says so. */
export function wasStartedAtLogin(app: Pick<App, 'getLoginItemSettings'>, platform = process.platform): boolean {
  return platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}
