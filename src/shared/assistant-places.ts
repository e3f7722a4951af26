/** Assistants that we know how to set up; `generic` stands for all others. */
export type AssistantName =
  | 'claude-code'
  | 'claude-desktop'
  | 'cursor'
  | 'vscode'
  | 'codex'
  | 'lm-studio'
  | 'gemini-cli'
  | 'antigravity'
  | 'generic';

/** The machine that the assistant runs on: `os` as Node names it, home folder, and what the environment moves. */
export interface Machine {
  readonly os: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Checks that a path exists; left out where the program cannot look at the machine. */
  readonly exists?: (path: string) => boolean;
}

interface Place {
  /** File with the list of servers, of the user and not of a project. */
  readonly file: (machine: Machine) => string;
  /** Path of that file in earlier releases of the assistant; used when only this one exists. */
  readonly earlier?: (machine: Machine) => string;
  /** Programs on the path that show that the assistant is here. */
  readonly programs: readonly string[];
  /** Folder or file that only an installed assistant has. */
  readonly sign: (machine: Machine) => string;
}

function join({ os }: Machine, ...parts: readonly string[]): string {
  return parts.join(os === 'win32' ? '\\' : '/');
}

/** Folder for settings of desktop programs. */
function settings(machine: Machine): string {
  const { os, home, env } = machine;
  if (os === 'win32') return env.APPDATA || join(machine, home, 'AppData', 'Roaming');
  if (os === 'darwin') return join(machine, home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME?.startsWith('/') === true ? env.XDG_CONFIG_HOME : join(machine, home, '.config');
}

const inHome =
  (...parts: readonly string[]) =>
  (machine: Machine): string =>
    join(machine, machine.home, ...parts);
const inSettings =
  (...parts: readonly string[]) =>
  (machine: Machine): string =>
    join(machine, settings(machine), ...parts);

const codexHome = (machine: Machine): string => machine.env.CODEX_HOME || join(machine, machine.home, '.codex');
const claudeHome = (machine: Machine): string => machine.env.CLAUDE_CONFIG_DIR || machine.home;

const PLACES: Readonly<Record<Exclude<AssistantName, 'generic'>, Place>> = {
  'claude-code': {
    file: (machine) => join(machine, claudeHome(machine), '.claude.json'),
    sign: (machine) => join(machine, claudeHome(machine), '.claude.json'),
    programs: ['claude'],
  },
  'claude-desktop': {
    file: inSettings('Claude', 'claude_desktop_config.json'),
    sign: inSettings('Claude'),
    programs: ['claude-desktop'],
  },
  cursor: { file: inHome('.cursor', 'mcp.json'), sign: inHome('.cursor'), programs: ['cursor'] },
  vscode: { file: inSettings('Code', 'User', 'mcp.json'), sign: inSettings('Code', 'User'), programs: ['code'] },
  codex: { file: (machine) => join(machine, codexHome(machine), 'config.toml'), sign: codexHome, programs: ['codex'] },
  'lm-studio': { file: inHome('.lmstudio', 'mcp.json'), sign: inHome('.lmstudio'), programs: ['lms'] },
  'gemini-cli': { file: inHome('.gemini', 'settings.json'), sign: inHome('.gemini'), programs: ['gemini'] },
  antigravity: {
    file: inHome('.gemini', 'config', 'mcp_config.json'),
    earlier: inHome('.gemini', 'antigravity', 'mcp_config.json'),
    sign: inHome('.gemini', 'antigravity'),
    programs: ['antigravity', 'agy'],
  },
};

/** The file that an assistant reads; null for `generic`. */
export function assistantFile(name: AssistantName, machine: Machine): string | null {
  if (name === 'generic') return null;
  const { file, earlier } = PLACES[name];
  const older = earlier?.(machine);
  const isOlder = older !== undefined && machine.exists?.(older) === true && !machine.exists(file(machine));
  return isOlder ? older : file(machine);
}

function onPath(program: string, machine: Machine, exists: (path: string) => boolean): boolean {
  const { os, env } = machine;
  const ends = os === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  const folders = (env.PATH ?? env.Path ?? '').split(os === 'win32' ? ';' : ':').filter((folder) => folder !== '');
  return folders.some((folder) => ends.some((end) => exists(join(machine, folder, `${program}${end}`))));
}

/** True when an assistant seems to be installed: one of its paths exists, or its program is on PATH. */
export function assistantIsHere(name: AssistantName, machine: Machine, exists: (path: string) => boolean): boolean {
  if (name === 'generic') return false;
  const { sign, programs } = PLACES[name];
  return exists(sign(machine)) || programs.some((program) => onPath(program, machine, exists));
}
