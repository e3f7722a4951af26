/** Form of the commands that the user reads, so that they run when copied. */
export interface CommandName {
  /** Command that starts this program here: `platform`, or `npx platform` where it is not on the path. */
  readonly program: string;
  /** The given --data and --url, which lead to the same host again; null for the default. */
  readonly data: string | null;
  readonly url: string | null;
  /** Name or id, as given, of the bot that the command at hand is about; null without one. */
  readonly bot: string | null;
}

/** Commands that reach no host, so that the choice of a host does not matter to them. */
const WITHOUT_HOST = /^(init|dev|demo|completion|custom-bot validate|custom-bot verify)\b|--help$/;
/** Commands that start a host. */
const STARTS = /^(start|serve)\b/;
/** Commands in the host's hints that make no sense without a bot. */
const NEEDS_BOT = /^bot (get|diagnose|logs|start|stop|restart|run|state|runs|metrics|events|delete|update)$/;
const BOT_PLACE = /<bot(_id)?>/g;

/** Quotes an argument so that a shell takes it for one word; quotes it only where needed. */
export function quoted(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}

/** The options of the command line that shown commands repeat. */
interface Asked {
  readonly url?: string | undefined;
  readonly data?: string | undefined;
  readonly bot?: string | undefined;
}

/** Returns the name to use: npm and npx set `npm_lifecycle_event`, and programs that they start are not on the path. */
export function commandName(env: NodeJS.ProcessEnv, { url, data, bot }: Asked = {}): CommandName {
  return {
    program: (env.npm_lifecycle_event ?? '') === '' ? 'platform' : 'npx platform',
    data: data ?? null,
    url: url ?? null,
    bot: bot ?? null,
  };
}

/** A command to copy: `typed(name, 'bot logs', 'sma live', '-w')` is `npx platform bot logs "sma live" -w`. */
export function typed(name: CommandName, words: string, ...args: readonly string[]): string {
  // A hint may name the folder or the address itself; a host that has yet to start has no address.
  const own = /\s--(data|url)\b/.exec(words)?.[1] ?? null;
  const local = WITHOUT_HOST.test(words) || own === 'data';
  const data = name.data === null || local ? [] : ['--data', quoted(name.data)];
  const none = name.url === null || local || STARTS.test(words) || own !== null;
  const url = none ? [] : ['--url', quoted(name.url ?? '')];
  return [name.program, ...data, ...url, words, ...args.map((arg) => quoted(arg))].join(' ');
}

/** Returns a hint with its commands (`platform …` in backticks, as the host writes them) as they are typed here. */
export function typedHint(name: CommandName, hint: string): string {
  return hint.replaceAll(/`platform ([^`]+)`/g, (_, words: string) => {
    const { bot } = name;
    if (bot === null) return `\`${typed(name, words)}\``;
    const filled = words.replaceAll(BOT_PLACE, () => quoted(bot));
    return `\`${NEEDS_BOT.test(filled) ? typed(name, filled, bot) : typed(name, filled)}\``;
  });
}
