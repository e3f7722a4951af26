import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Folder of a user's own files: PLATFORM_CONFIG_DIR, else `bot-platform` in the OS's place for configuration. */
export function configDir(env: NodeJS.ProcessEnv, platform = process.platform, home = homedir()): string {
  const set = env.PLATFORM_CONFIG_DIR;
  if (set !== undefined && set !== '') return set;
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'bot-platform');
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'bot-platform');
  const { XDG_CONFIG_HOME } = env;
  const base = XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, '.config');
  return join(base, 'bot-platform');
}

/** Folder of the keys that seal secrets: PLATFORM_KEY_FOLDER, else `keys` in the user's folder for configuration. */
export function defaultKeyFolder(env: NodeJS.ProcessEnv, platform = process.platform, home = homedir()): string {
  return env.PLATFORM_KEY_FOLDER || join(configDir(env, platform, home), 'keys');
}
