type Environment = Readonly<Record<string, string | undefined>>;

/**
 * An environment for programs that the command line starts: without its API key, which is for nobody else. Tools that
 * install packages run code of strangers, and a host hands out keys but has no use for one.
 */
export function keyFree(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.toUpperCase() !== 'PLATFORM_API_KEY'));
}
