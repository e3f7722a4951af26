import type { Bot } from '../../../contract/bot.ts';
import { isArmed } from '../../../shared/arming-words.ts';
import { healthWords, urgencyOf } from '../../../shared/health.ts';
import { fuzzy } from '../../components/fuzzy.ts';
import { BOT_ACTIONS, type BotAction } from '../../data/start-stop-actions.ts';
import type { NavigationPage } from '../navigation-pages.ts';

/** The action of a palette command. */
export type Does =
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'bot'; readonly action: BotAction; readonly botId: string; readonly name: string }
  | { readonly kind: 'theme'; readonly theme: 'system' | 'dark' | 'light' }
  | { readonly kind: 'zone'; readonly zone: 'local' | 'UTC' }
  | { readonly kind: 'shortcuts' }
  | { readonly kind: 'log out' };

export interface Command {
  readonly id: string;
  readonly group: 'Bots' | 'Pages' | 'Actions';
  readonly label: string;
  /** Text beside the label: the state of a bot, a shortcut. */
  readonly note: string;
  /** Further words that find the command. */
  readonly also: string;
  readonly does: Does;
  /** True for a command that is shown before anything is typed. */
  readonly atOnce: boolean;
}

/** Bots, pages and rights from which the commands are made. */
export interface Known {
  readonly bots: readonly Pick<Bot, 'bot_id' | 'name' | 'type' | 'status' | 'health' | 'enabled' | 'arming'>[];
  readonly pages: readonly Pick<NavigationPage, 'path' | 'label' | 'key' | 'also'>[];
  readonly mayChange: boolean;
}

/** Condition under which the palette offers an action on a bot, and further words that find it. */
const OFFERS: Readonly<
  Record<BotAction, { readonly also: string; readonly applies: (bot: Known['bots'][number]) => boolean }>
> = {
  start: { also: 'enable', applies: ({ enabled }) => !enabled },
  stop: { also: 'disable pause', applies: ({ enabled }) => enabled },
  restart: { also: '', applies: ({ type, status }) => type.startsWith('realtime/') && status === 'running' },
  run: { also: 'trigger', applies: ({ type }) => type.startsWith('scheduled/') },
};
const ACTIONS = Object.keys(BOT_ACTIONS) as BotAction[];

function go(path: string, label: string, note: string, also: string): Command {
  return { id: `go ${path}`, group: 'Pages', label, note, also, does: { kind: 'go', path }, atOnce: true };
}

function botCommands({ bots, mayChange }: Known): Command[] {
  const sorted = [...bots].sort((a, b) => urgencyOf(a) - urgencyOf(b) || a.name.localeCompare(b.name));
  const pages = sorted.map(
    ({ bot_id, name, type, status, health, arming }): Command => ({
      id: `bot ${bot_id}`,
      group: 'Bots',
      label: isArmed({ arming }) ? `LIVE ${name}` : name,
      note: healthWords({ status, health }).words,
      also: `${type} ${bot_id}`,
      does: { kind: 'go', path: `/bots/${bot_id}` },
      atOnce: true,
    }),
  );
  if (!mayChange) return pages;
  const actions = sorted.flatMap((bot) =>
    ACTIONS.filter((action) => OFFERS[action].applies(bot)).map(
      (action): Command => ({
        id: `${action} ${bot.bot_id}`,
        group: 'Actions',
        label: `${BOT_ACTIONS[action].label} ${isArmed(bot) ? 'LIVE ' : ''}${bot.name}`,
        note: '',
        also: OFFERS[action].also,
        does: { kind: 'bot', action, botId: bot.bot_id, name: bot.name },
        atOnce: false,
      }),
    ),
  );
  return [...pages, ...actions];
}

function pageCommands({ pages }: Known): Command[] {
  return pages.map(({ path, label, key, also = '' }) => go(path, label, `g ${key}`, `go to open ${also}`));
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

/** Returns all commands that can be chosen now. */
export function commandsOf(known: Known): Command[] {
  return [...botCommands(known), ...pageCommands(known), ...ALWAYS];
}

/** A command as it is shown, with the letters of its label that match. */
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
