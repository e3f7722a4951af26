import type { Bot, BotStatus } from '../../../contract/bot.ts';

/** A kind of state that the fleet can be narrowed to. */
export interface Filter {
  readonly id: string;
  readonly word: string;
  readonly has: (status: BotStatus) => boolean;
}

export const FILTERS: readonly Filter[] = [
  { id: 'all', word: 'All', has: () => true },
  {
    id: 'running',
    word: 'Running',
    has: (status) => status === 'running' || status === 'starting' || status === 'stopping',
  },
  { id: 'failed', word: 'Failed', has: (status) => status === 'failed' || status === 'backing_off' },
  { id: 'scheduled', word: 'Scheduled', has: (status) => status === 'scheduled' },
  { id: 'stopped', word: 'Stopped', has: (status) => status === 'stopped' },
];

function matches(bot: Bot, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const about = `${bot.name} ${bot.type} ${bot.version} ${bot.bot_id} ${bot.engine}`.toLowerCase();
  return words.every((word) => about.includes(word));
}

const ORDER = new Intl.Collator('en', { numeric: true });

/** The bots to show, by name. */
export function fleetRows(bots: Iterable<Bot>, filterId: string, text: string): readonly Bot[] {
  const filter = FILTERS.find((one) => one.id === filterId) ?? FILTERS[0];
  return [...bots]
    .filter((bot) => filter?.has(bot.status) === true && matches(bot, text))
    .sort((a, b) => ORDER.compare(a.name, b.name));
}

const MINUTE_MS = 60_000;

/** The lines of a bot's last hour of at least a level, from a whole minute on. */
export function lastHourPath(botId: string, level: 'warn' | 'error', now: number): string {
  const from = new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS - 60 * MINUTE_MS).toISOString();
  return `/bots/${botId}/logs?${new URLSearchParams({ level, from })}`;
}

/** What can be done with many at once, and with which of them it makes sense. */
export const BULK = {
  start: {
    word: 'Start',
    done: 'Started',
    means: 'Each of them runs from now on, or by its schedule.',
    fits: (bot: Bot) => !bot.enabled || bot.status === 'failed',
  },
  stop: {
    word: 'Stop',
    done: 'Stopped',
    means: 'What they do now ends, and none of them runs again until it is started.',
    fits: (bot: Bot) => bot.enabled,
  },
  restart: {
    word: 'Restart',
    done: 'Restarted',
    means: 'Each of them stops and starts once.',
    fits: (bot: Bot) => bot.enabled && bot.type.startsWith('realtime/'),
  },
} as const;
export type BulkAction = keyof typeof BULK;

const MOST_UNASKED = 10;

/** True for so many bots that nobody should do something with all of them by one click. */
export function needsYes(count: number): boolean {
  return count > MOST_UNASKED;
}
