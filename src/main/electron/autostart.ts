import { join } from 'node:path';

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
