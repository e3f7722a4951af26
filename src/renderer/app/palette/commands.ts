import type { Bot } from '../../../contract/bot.ts';
import { statusWords } from '../../../isomorphic/status-words.ts';
import { fuzzy } from '../../parts/fuzzy.ts';

/** What a command of the palette does. */
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
  readonly word: string;
  /** What stands beside the word: the state of a bot, a shortcut. */
  readonly note: string;
  /** Further words that lead here. */
  readonly also: string;
  readonly does: Does;
  /** Shown before anything is typed. */
  readonly atOnce: boolean;
}

/** What the commands are made from. */
export interface Known {
  readonly bots: readonly Pick<Bot, 'bot_id' | 'name' | 'type' | 'status' | 'enabled'>[];
  readonly places: readonly { readonly path: string; readonly word: string }[];
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

const URGENCY: readonly string[] = ['failed', 'backing_off', 'running', 'starting', 'stopping', 'scheduled', 'stopped'];

const BOT_ACTIONS: readonly {
  readonly action: BotAction;
  readonly word: string;
  readonly also: string;
  readonly fits: (bot: Known['bots'][number]) => boolean;
}[] = [
  { action: 'start', word: 'Start', also: 'enable', fits: ({ enabled }) => !enabled },
  { action: 'stop', word: 'Stop', also: 'disable pause', fits: ({ enabled }) => enabled },
  {
    action: 'restart',
    word: 'Restart',
    also: '',
    fits: ({ type, status }) => type.startsWith('realtime/') && status === 'running',
  },
  { action: 'run', word: 'Run now', also: 'trigger', fits: ({ type }) => type.startsWith('scheduled/') },
];

function go(path: string, word: string, note: string, also = ''): Command {
  return { id: `go ${path}`, group: 'Places', word, note, also, does: { kind: 'go', path }, atOnce: true };
}

function botCommands({ bots, mayChange }: Known): Command[] {
  const sorted = [...bots].sort(
    (a, b) => URGENCY.indexOf(a.status) - URGENCY.indexOf(b.status) || a.name.localeCompare(b.name),
  );
  const pages = sorted.map(
    ({ bot_id, name, type, status }): Command => ({
      id: `bot ${bot_id}`,
      group: 'Bots',
      word: name,
      note: statusWords(status),
      also: `${type} ${bot_id}`,
      does: { kind: 'go', path: `/bots/${bot_id}` },
      atOnce: true,
    }),
  );
  if (!mayChange) return pages;
  const actions = sorted.flatMap((bot) =>
    BOT_ACTIONS.filter(({ fits }) => fits(bot)).map(
      ({ action, word, also }): Command => ({
        id: `${action} ${bot.bot_id}`,
        group: 'Actions',
        word: `${word} ${bot.name}`,
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
  const shown = places.map(({ path, word }) => go(path, word, note(path), 'go to open'));
  const deploy = mayChange && !places.some(({ path }) => path === '/deploy');
  return deploy ? [...shown, go('/deploy', 'Deploy a bot', note('/deploy'), 'new create')] : shown;
}

function action(id: string, word: string, also: string, does: Does, note = '', atOnce = false): Command {
  return { id, group: 'Actions', word, note, also, does, atOnce };
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

/** A command as it is shown: which letters of its word fit. */
export interface Found {
  readonly command: Command;
  readonly marks: readonly number[];
}

const MOST = 40;
const MOST_BOTS_AT_ONCE = 6;

/** What fits what was typed, best first; before anything is typed what most people want. */
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
      const match = fuzzy(typed, command.word, command.also);
      return match === null ? [] : [{ command, ...match }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ command, marks }) => ({ command, marks }));
}
