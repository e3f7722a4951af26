import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { app } from 'electron';

/** How the app is started again by the system: program and arguments. */
export type StartCommand = readonly [string, ...string[]];

/** Where desktops of Linux look for what starts with them (freedesktop.org, Desktop Application Autostart). */
export function autostartFile(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const config = env.XDG_CONFIG_HOME?.startsWith('/') === true ? env.XDG_CONFIG_HOME : join(home, '.config');
  return join(config, 'autostart', 'bot-platform.desktop');
}

/** An argument of an Exec line: quoted, with the escapes of the Desktop Entry rules, and `%` doubled. */
const quoted = (word: string): string =>
  `"${word
    .replaceAll(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`;

/** The desktop entry that starts the app without a window. */
export function autostartEntry(command: StartCommand): string {
  const lines = ['[Desktop Entry]', 'Type=Application', 'Name=Bot Platform', 'Comment=Runs your trading bots'];
  return [...lines, `Exec=${command.map(quoted).join(' ')}`, 'X-GNOME-Autostart-enabled=true', ''].join('\n');
}

/** How the system starts this app: an AppImage by its own file, which its mounted program does not outlive. */
function startCommand(): StartCommand {
  const program = process.env.APPIMAGE ?? process.execPath;
  return app.isPackaged ? [program, '--hidden'] : [program, app.getAppPath(), '--hidden'];
}

/** Whether the app starts when the user logs in. Off until somebody asks for it. */
export function startsAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(autostartFile(process.env, homedir()));
  const [path, ...args] = startCommand();
  return app.getLoginItemSettings(process.platform === 'win32' ? { path, args } : {}).openAtLogin;
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
