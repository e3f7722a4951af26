import type { Bot } from '../../../contract/bot.ts';
import { healthWords, urgencyOf } from '../../../shared/health.ts';
import { fuzzy } from '../../components/fuzzy.ts';

/** The action of a palette command. */
export type Does =
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'bot'; readonly action: BotAction; readonly botId: string; readonly name: string }
  | { readonly kind: 'theme'; readonly theme: 'system' | 'dark' | 'light' }
  | { readonly kind: 'zone'; readonly zone: 'local' | 'UTC' }
  | { readonly kind: 'shortcuts' }
  | { readonly kind: 'log out' };

export type BotAction = 'start' | 'stop' | 'restart' | 'run';

export interface Command {
  readonly id: string;
  readonly group: 'Bots' | 'Places' | 'Actions';
  readonly label: string;
  /** What stands beside the label: the state of a bot, a shortcut. */
  readonly note: string;
  /** Further words that lead here. */
  readonly also: string;
  readonly does: Does;
  /** Shown before anything is typed. */
  readonly atOnce: boolean;
}

/** What the commands are made from. */
export interface Known {
  readonly bots: readonly Pick<Bot, 'bot_id' | 'name' | 'type' | 'status' | 'health' | 'enabled'>[];
  readonly places: readonly { readonly path: string; readonly label: string }[];
  readonly mayChange: boolean;
}

/** Keys that lead to a place, after `g`. */
export const GO: Readonly<Record<string, string>> = {
  f: '/',
  d: '/deploy',
  c: '/custom-bots',
  e: '/editor',
  a: '/connect',
  s: '/settings',
};

const BOT_ACTIONS: readonly {
  readonly action: BotAction;
  readonly label: string;
  readonly also: string;
  readonly applies: (bot: Known['bots'][number]) => boolean;
}[] = [
  { action: 'start', label: 'Start', also: 'enable', applies: ({ enabled }) => !enabled },
  { action: 'stop', label: 'Stop', also: 'disable pause', applies: ({ enabled }) => enabled },
  {
    action: 'restart',
    label: 'Restart',
    also: '',
    applies: ({ type, status }) => type.startsWith('realtime/') && status === 'running',
  },
  { action: 'run', label: 'Run now', also: 'trigger', applies: ({ type }) => type.startsWith('scheduled/') },
];

function go(path: string, label: string, note: string, also = ''): Command {
  return { id: `go ${path}`, group: 'Places', label, note, also, does: { kind: 'go', path }, atOnce: true };
}

function botCommands({ bots, mayChange }: Known): Command[] {
  const sorted = [...bots].sort((a, b) => urgencyOf(a) - urgencyOf(b) || a.name.localeCompare(b.name));
  const pages = sorted.map(
    ({ bot_id, name, type, status, health }): Command => ({
      id: `bot ${bot_id}`,
      group: 'Bots',
      label: name,
      note: healthWords({ status, health }).words,
      also: `${type} ${bot_id}`,
      does: { kind: 'go', path: `/bots/${bot_id}` },
      atOnce: true,
    }),
  );
  if (!mayChange) return pages;
  const actions = sorted.flatMap((bot) =>
    BOT_ACTIONS.filter(({ applies }) => applies(bot)).map(
      ({ action, label, also }): Command => ({
        id: `${action} ${bot.bot_id}`,
        group: 'Actions',
        label: `${label} ${bot.name}`,
        note: '',
        also,
        does: { kind: 'bot', action, botId: bot.bot_id, name: bot.name },
        atOnce: false,
      }),
    ),
  );
  return [...pages, ...actions];
}

function placeCommands({ places, mayChange }: Known): Command[] {
  const keyOf = (path: string): string => Object.entries(GO).find(([, to]) => to === path)?.[0] ?? '';
  const note = (path: string): string => (keyOf(path) === '' ? '' : `g ${keyOf(path)}`);
  const shown = places.map(({ path, label }) => go(path, label, note(path), 'go to open'));
  const deploy = mayChange && !places.some(({ path }) => path === '/deploy');
  return deploy ? [...shown, go('/deploy', 'Deploy a bot', note('/deploy'), 'new create')] : shown;
}

function action(id: string, label: string, also: string, does: Does, note = '', atOnce = false): Command {
  return { id, group: 'Actions', label, note, also, does, atOnce };
}

const ALWAYS: readonly Command[] = [
  action('theme dark', 'Theme: dark', 'appearance night', { kind: 'theme', theme: 'dark' }),
  action('theme light', 'Theme: light', 'appearance day', { kind: 'theme', theme: 'light' }),
  action('theme system', 'Theme: as the system', 'appearance auto', { kind: 'theme', theme: 'system' }),
  action('zone local', 'Times: local', 'time zone clock', { kind: 'zone', zone: 'local' }),
  action('zone utc', 'Times: UTC', 'time zone clock', { kind: 'zone', zone: 'UTC' }),
  action('shortcuts', 'Keyboard shortcuts', 'help keys', { kind: 'shortcuts' }, '?', true),
  action('log out', 'Log out', 'leave sign out', { kind: 'log out' }),
];

/** Everything that can be chosen now. */
export function commandsOf(known: Known): Command[] {
  return [...botCommands(known), ...placeCommands(known), ...ALWAYS];
}

/** A command as it is shown: which letters of its label match. */
export interface Found {
  readonly command: Command;
  readonly marks: readonly number[];
}

const MOST = 40;
const MOST_BOTS_AT_ONCE = 6;

/** The commands that match the typed text, best first; without text the most wanted ones. */
export function find(commands: readonly Command[], typed: string): Found[] {
  if (typed.trim() === '') {
    let bots = 0;
    return commands
      .filter(({ atOnce, group }) => {
        if (group === 'Bots') bots += 1;
        return atOnce && (group !== 'Bots' || bots <= MOST_BOTS_AT_ONCE);
      })
      .map((command) => ({ command, marks: [] }));
  }
  return commands
    .flatMap((command) => {
      const match = fuzzy(typed, command.label, command.also);
      return match === null ? [] : [{ command, ...match }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ command, marks }) => ({ command, marks }));
}
