import type { Bot } from '../../contract/bot.ts';
import { waitsToBeArmed } from '../../shared/approval-words.ts';
import { isArmed } from '../../shared/arming-words.ts';
import { type Check, subject } from '../check-result.ts';

const armed = subject('armed_bots', 'Live bots', 'They trade real money with what a person has armed.');

type Armed = Pick<Bot, 'name' | 'arming' | 'enabled' | 'reason'>;

const names = (bots: readonly Armed[]): string => bots.map(({ name }) => name).join(', ');

/** What deserves a look of bots with live secrets: one that waits to be armed, whose arming has ended, or that only the upgrade armed. */
export function checkArmed(bots: readonly Armed[]): Check[] {
  const live = bots.filter(isArmed);
  const waiting = bots.filter(waitsToBeArmed);
  const ended = live.filter(({ arming, enabled }) => arming?.state === 'expired' && enabled);
  const unseen = live.filter((bot) => bot.arming?.for_review === true && !ended.includes(bot));
  const arm = (one: readonly Armed[]): string =>
    `Look at ${one.length === 1 ? 'it' : 'each'}, then arm it: \`platform bot arm ${one.length === 1 ? JSON.stringify(names(one)) : 'BOT'}\`.`;
  const notes = [
    ...(waiting.length === 0 ? [] : [armed.note(`${names(waiting)}: stopped until a person arms it`, arm(waiting))]),
    ...(ended.length === 0
      ? []
      : [
          armed.note(
            `${names(ended)}: goes on although its arming has ended; nobody can change or start it`,
            arm(ended),
          ),
        ]),
    ...(unseen.length === 0
      ? []
      : [armed.note(`${names(unseen)}: armed by the upgrade, and nobody has looked at it since`, arm(unseen))]),
  ];
  return notes.length > 0 || live.length === 0 ? notes : [armed.ok(names(live))];
}
