import type { Bot, BotStatus } from '../../../contract/bot.ts';
import type { FleetSort } from '../../../contract/preference-choices.ts';
import type { Preferences } from '../../../contract/preferences.ts';

/** A kind of state that the fleet can be narrowed to. */
export interface Filter {
  readonly id: Preferences['fleet_filter'];
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

/** What needs somebody comes first. */
const STATUS_ORDER: readonly BotStatus[] = [
  'failed',
  'backing_off',
  'stopping',
  'starting',
  'running',
  'scheduled',
  'stopped',
];

const COMPARE: Readonly<Record<FleetSort, (a: Bot, b: Bot) => number>> = {
  name: () => 0,
  status: (a, b) => STATUS_ORDER.indexOf(a.status) - STATUS_ORDER.indexOf(b.status),
  custom_bot: (a, b) =>
    ORDER.compare(a.type.split('/')[1] ?? '', b.type.split('/')[1] ?? '') || ORDER.compare(a.version, b.version),
  last_run: (a, b) => (a.last_run?.ended_at ?? '').localeCompare(b.last_run?.ended_at ?? ''),
};

/** In which order the fleet is shown. */
export interface Order {
  readonly by: FleetSort;
  readonly descending: boolean;
}

const BY_NAME: Order = { by: 'name', descending: false };

/** The bots to show, in their order; what is alike in it stands by name. */
export function fleetRows(bots: Iterable<Bot>, filterId: string, text: string, order = BY_NAME): readonly Bot[] {
  const filter = FILTERS.find((one) => one.id === filterId) ?? FILTERS[0];
  const sign = order.descending ? -1 : 1;
  const byName = (a: Bot, b: Bot): number => ORDER.compare(a.name, b.name) * (order.by === 'name' ? sign : 1);
  return [...bots]
    .filter((bot) => filter?.has(bot.status) === true && matches(bot, text))
    .sort((a, b) => COMPARE[order.by](a, b) * sign || byName(a, b));
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

/** What takes a deed back, and for which bots, as they were before it; null where nothing does. */
export function wayBack(action: BulkAction, before: readonly Bot[]) {
  // One that had failed was not at work: to start it would be something new, not a way back.
  if (action === 'stop') return { action: 'start', bots: before.filter((bot) => bot.status !== 'failed') } as const;
  // One that was enabled already was only tried again.
  if (action === 'start') return { action: 'stop', bots: before.filter((bot) => !bot.enabled) } as const;
  return null;
}

const MOST_UNASKED = 10;

/** True for so many bots that nobody should do something with all of them by one click. */
export function needsYes(count: number): boolean {
  return count > MOST_UNASKED;
}
