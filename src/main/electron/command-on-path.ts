import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { systemErrorCode } from '../base/system-error.ts';

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
  /** Whether shells find it there already. */
  readonly onPath: boolean;
}

const MARK = 'made by Bot Platform';
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** What the command `platform` is on this system. */
export function commandFile({ platform, env, home, node, program }: CommandParts): CommandFile {
  const windows = platform === 'win32';
  const dir = windows
    ? join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'Microsoft', 'WindowsApps')
    : join(home, '.local', 'bin');
  const text = windows
    ? `@rem ${MARK}\r\n@"${node}" "${program}" %*\r\n`
    : `#!/bin/sh\n# ${MARK}\nexec ${quoted(node)} ${quoted(program)} "$@"\n`;
  const onPath = (env.PATH ?? env.Path ?? '').split(delimiter).includes(dir);
  return { file: join(dir, windows ? 'platform.cmd' : 'platform'), text, onPath };
}

async function isForeign(file: string): Promise<boolean> {
  try {
    return !(await readFile(file, 'utf8')).includes(MARK);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Puts the command there and says so in words; a file of somebody else is left alone, and the words say that. */
export async function installCommand(parts: CommandParts): Promise<string> {
  const { file, text, onPath } = commandFile(parts);
  if (await isForeign(file)) return `${file} is another program's; it was left as it is.`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
  if (onPath) return `The command "platform" is at ${file}. Open a new terminal to use it.`;
  return `The command "platform" is at ${file}. Add ${dirname(file)} to your PATH to use it.`;
}
