import { expect, it } from 'vitest';
import type { BotArming } from '../../../src/contract/arming.ts';
import { armingText, protectionWords, sinceArming } from '../../../src/shared/arming-words.ts';

const ARMING: BotArming = {
  state: 'armed',
  version: '1.0.0',
  armed_at: '2026-03-04T14:00:00.000Z',
  armed_by: 'ada',
  until: '2026-04-03T14:00:00.000Z',
  stop_at_expiry: true,
  for_review: false,
  message: 'it is armed until 2026-04-03T14:00:00.000Z',
};
const at = (time: string) => ({ now: Date.parse(time), zone: 'UTC' }) as const;

it('whoever looks at an arming reads its end by their own clock, and how far it is', () => {
  const early = at('2026-03-05T14:00:00.000Z');
  expect(armingText(ARMING, early)).toBe(
    'it is armed until 2026-04-03 14:00:00 (in 29 d), by ada; the host stops it then',
  );
  const late = at('2026-04-03T16:00:00.000Z');
  const ended: BotArming = { ...ARMING, state: 'expired', message: 'its arming ended on 2026-04-03T14:00:00.000Z' };
  expect(sinceArming(ended, { version: '1.0.0' }, late)).toBe(
    'It was armed with version 1.0.0: its arming ended on 2026-04-03 14:00:00 (2 h ago).',
  );
  const local = new Date('2026-04-03T14:00:00.000Z').toTimeString().slice(0, 8);
  expect(armingText(ended, { ...late, zone: 'local' })).toContain(` ${local} (2 h ago), by ada`);
  const changed: BotArming = { ...ARMING, state: 'changed', message: 'its version changed since it was armed' };
  expect(armingText(changed, late)).toBe('its version changed since it was armed, by ada; the host stops it then');
});

it.each([
  ['gone', null, /^Its engine gone is not on this host\.$/],
  ['process', 'none', /without isolation/],
  ['sandbox', 'partial', /network is not limited on this machine, so it can send its secrets anywhere/],
  ['sandbox', 'sandbox', /isolated from the rest of this machine/],
  ['docker', 'container', /isolated from the rest of this machine/],
])('whoever arms a bot on engine %s with isolation %s reads what that keeps away', (engine, level, words) => {
  expect(protectionWords(engine, level)).toMatch(words);
  expect(protectionWords(engine, level).includes('isolated from')).toBe(level === 'sandbox' || level === 'container');
});
