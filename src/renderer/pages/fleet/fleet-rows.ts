import type { Bot } from '../../../contract/bot.ts';
import type { FleetSort } from '../../../contract/preference-choices.ts';
import type { Preferences } from '../../../contract/preferences.ts';
import { keepsCrashing, needsYou, urgencyOf } from '../../../shared/health.ts';

/** A kind of state to which the fleet can be narrowed. */
export interface Filter {
  readonly id: Preferences['fleet_filter'];
  readonly label: string;
  readonly has: (bot: Bot) => boolean;
}

/** States of a bot that runs, or is about to. */
const RUNNING: ReadonlySet<string> = new Set(['running', 'starting', 'stopping', 'backing_off']);

export const FILTERS: readonly Filter[] = [
  { id: 'all', label: 'All', has: () => true },
  {
    id: 'running',
    label: 'Running',
    has: (bot) => RUNNING.has(bot.status) && !isInNeed(bot),
  },
  { id: 'failed', label: 'Failed', has: isInNeed },
  { id: 'scheduled', label: 'Scheduled', has: ({ status }) => status === 'scheduled' },
  { id: 'stopped', label: 'Stopped', has: ({ status }) => status === 'stopped' },
];

/** True for a bot that needs somebody. */
export function isInNeed({ status, health }: Bot): boolean {
  return needsYou(status, health);
}

function matches(bot: Bot, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const about = `${bot.name} ${bot.type} ${bot.version} ${bot.bot_id} ${bot.engine}`.toLowerCase();
  return words.every((word) => about.includes(word));
}

const ORDER = new Intl.Collator('en', { numeric: true });

const COMPARE: Readonly<Record<FleetSort, (a: Bot, b: Bot) => number>> = {
  name: () => 0,
  status: (a, b) => urgencyOf(a) - urgencyOf(b),
  custom_bot: (a, b) =>
    ORDER.compare(a.type.split('/')[1] ?? '', b.type.split('/')[1] ?? '') || ORDER.compare(a.version, b.version),
  last_run: (a, b) => (a.last_run?.ended_at ?? '').localeCompare(b.last_run?.ended_at ?? ''),
};

/** Order in which the fleet is shown. */
export interface Order {
  readonly by: FleetSort;
  readonly descending: boolean;
}

const BY_NAME: Order = { by: 'name', descending: false };

/** The bots to show, in order; equal ones are sorted by name. */
export function fleetRows(bots: Iterable<Bot>, filterId: string, text: string, order = BY_NAME): readonly Bot[] {
  const filter = FILTERS.find((one) => one.id === filterId) ?? FILTERS[0];
  const sign = order.descending ? -1 : 1;
  const byName = (a: Bot, b: Bot): number => ORDER.compare(a.name, b.name) * (order.by === 'name' ? sign : 1);
  return [...bots]
    .filter((bot) => filter?.has(bot) === true && matches(bot, text))
    .sort((a, b) => COMPARE[order.by](a, b) * sign || byName(a, b));
}

/** Returns the reason for the state of a bot, where that says more than its start time; null where it does not. */
export function whyOf({ status, health, reason }: Bot): string | null {
  // Between two crashes the bot runs: the reason for the crash says more than the time since.
  if (keepsCrashing(health) && health.reason !== null) return health.reason.message;
  if (reason === null || status === 'running' || status === 'scheduled') return null;
  return status === 'stopped' && reason.code === 'DISABLED' ? null : reason.message;
}

const MINUTE_MS = 60_000;

/** The lines of a bot's last hour of at least a level, from a whole minute on. */
export function lastHourPath(botId: string, level: 'warn' | 'error', now: number): string {
  const from = new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS - 60 * MINUTE_MS).toISOString();
  return `/bots/${botId}/logs?${new URLSearchParams({ level, from })}`;
}
