type Environment = Readonly<Record<string, string | undefined>>;

/**
 * An environment without the API key, for programs that the command line starts: package installers run strangers'
 * code.
 */
export function withoutApiKey(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.toUpperCase() !== 'PLATFORM_API_KEY'));
}
