import { lstatSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { DesktopCommand } from '../../contract/desktop-bridge.ts';
import { PlatformError } from '../../contract/errors.ts';
import { writeFileAtomic } from '../../node/atomic-write.ts';
import { systemErrorCode } from '../../node/system-error.ts';
import type { Places } from './app-paths-and-flags.ts';
import { readIfThere } from './read-if-there.ts';

export interface CommandParts {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly node: string;
  /** The built command line. */
  readonly program: string;
}

/** A start script in a folder of the user's own programs. */
export interface CommandFile {
  readonly file: string;
  readonly text: string;
  /** True if PATH already contains the folder of the file. */
  readonly onPath: boolean;
}

const MARK = 'made by Bot Platform';
/** In a batch file a percent sign begins a variable. */
const batch = (word: string): string => word.replaceAll('%', '%%');
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Returns the file of the command `platform` for this system. */
export function commandFile({ platform, env, home, node, program }: CommandParts): CommandFile {
  const windows = platform === 'win32';
  const dir = windows
    ? join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'Microsoft', 'WindowsApps')
    : join(home, '.local', 'bin');
  const text = windows
    ? `@rem ${MARK}\r\n@"${batch(node)}" "${batch(program)}" %*\r\n`
    : `#!/bin/sh\n# ${MARK}\nexec ${quoted(node)} ${quoted(program)} "$@"\n`;
  const onPath = (env.PATH ?? env.Path ?? '').split(delimiter).includes(dir);
  return { file: join(dir, windows ? 'platform.cmd' : 'platform'), text, onPath };
}

/**
 * Returns the text of the file at the command's name; null without a file. Anything unreadable, such as a folder or a link to an
 * unmounted disk, counts as foreign.
 */
function textOf(file: string): string | null {
  try {
    return readIfThere(file) ?? (lstatSync(file, { throwIfNoEntry: false }) === undefined ? null : '');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === null) throw error;
    return code === 'ENOTDIR' ? null : '';
  }
}

/** Returns the present state of the command. */
export function commandNow(parts: CommandParts): DesktopCommand {
  const { file, text, onPath } = commandFile(parts);
  const found = textOf(file);
  const at = found === null ? 'missing' : found === text ? 'there' : found.includes(MARK) ? 'outdated' : 'foreign';
  return { at, file, on_path: onPath };
}

function refuseForeign(parts: CommandParts): void {
  const { at, file } = commandNow(parts);
  if (at !== 'foreign') return;
  const hint = 'Move it away first, or call this product by `npx platform`.';
  throw new PlatformError('NAME_TAKEN', `${file} is another program's; it was left as it is.`, { hint });
}

/** Installs the command; throws NAME_TAKEN where another program has the name. */
export async function installCommand(parts: CommandParts): Promise<void> {
  refuseForeign(parts);
  const { file, text } = commandFile(parts);
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic(file, text);
  await chmod(file, 0o755);
}

/** Removes the command, where it is one of ours. */
export async function removeCommand(parts: CommandParts): Promise<void> {
  refuseForeign(parts);
  await rm(commandFile(parts).file, { force: true });
}

/** Words for the person once the command is installed. */
export function commandWords({ file, on_path }: DesktopCommand): string {
  if (on_path) return `The command "platform" is at ${file}. Open a new terminal to use it.`;
  return `The command "platform" is at ${file}. Add ${dirname(file)} to your PATH to use it.`;
}

/** The command of this installation: its state, and its installation and removal. */
export interface CommandControl {
  now(): DesktopCommand;
  set(isThere: boolean): Promise<void>;
}

/** Without a Node in `parts`, and in an AppImage, the installation cannot provide the command. */
export function commandControl({
  node,
  appImage,
  ...parts
}: Omit<CommandParts, 'node'> & Pick<Places, 'node' | 'appImage'>): CommandControl {
  // An AppImage is mounted at another place at each start.
  const known = node === null || appImage !== null ? null : { ...parts, node };
  return {
    now: () => (known === null ? { at: 'impossible', file: '', on_path: false } : commandNow(known)),
    set: async (isThere) => {
      if (known !== null) return isThere ? installCommand(known) : removeCommand(known);
      const message = 'This installation cannot bring the command along: its files move with each start.';
      throw new PlatformError('INVALID_REQUEST', message, { hint: 'Install the .deb, or use npm.' });
    },
  };
}
