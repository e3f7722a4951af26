type Environment = Readonly<Record<string, string | undefined>>;

const NAME = 'bot-platform';

/**
 * The data folder in force: PLATFORM_DATA_DIR, else `bot-platform` in the OS's place for application data. A relative
 * setting is returned unchanged, and counts from the working directory.
 */
export function dataDirOf(env: Environment, platform: string, home: string): string {
  const set = env.PLATFORM_DATA_DIR;
  if (set !== undefined && set !== '') return set;
  if (platform === 'win32') return `${env.LOCALAPPDATA || `${home}\\AppData\\Local`}\\${NAME}`;
  if (platform === 'darwin') return `${home}/Library/Application Support/${NAME}`;
  const shared = env.XDG_DATA_HOME;
  return `${shared?.startsWith('/') === true ? shared : `${home}/.local/share`}/${NAME}`;
}
