import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../node/atomic-write.ts';

/** Command with which the system starts the app again: program and arguments. */
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

/** True if the desktop follows an autostart entry: its own settings switch one off by a key in the entry. */
export function isAutostartOn(entry: string): boolean {
  return !/^(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/m.test(entry);
}

/** Writes the entry, also in place of a link: the target of the link, such as the app's own entry in the menu, stays as it is. */
export async function writeAutostart(file: string, command: StartCommand): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic(file, autostartEntry(command));
}

export async function removeAutostart(file: string): Promise<void> {
  await rm(file, { force: true });
}
