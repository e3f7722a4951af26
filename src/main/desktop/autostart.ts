import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../node/atomic-write.ts';

/** How the app is started again by the system: program and arguments. */
export type StartCommand = readonly [string, ...string[]];

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

/** Whether the desktop follows an entry: its own settings switch one off by a word in it. */
export function isAutostartOn(entry: string): boolean {
  return !/^(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/m.test(entry);
}

/** Puts the entry there, in place of a link too: what that leads to, the app's own entry in the menu for one, stays as it is. */
export async function writeAutostart(file: string, command: StartCommand): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic(file, autostartEntry(command));
}

export async function removeAutostart(file: string): Promise<void> {
  await rm(file, { force: true });
}
