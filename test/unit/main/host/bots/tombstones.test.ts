import { expect, it } from 'vitest';
import { Tombstones } from '../../../../../src/main/host/bots/tombstones.ts';
import { createTombstoneStore } from '../../../../../src/main/host/control/tombstone-store.ts';
import { botToHold, codeOf } from '../../../../support/bot-to-hold.ts';
import { aBot } from '../../../../support/plan-table.ts';

const DAY = 86_400_000;

function setup() {
  const clock = { now: 1000 };
  const { db } = botToHold();
  const tombstones = new Tombstones({ store: createTombstoneStore(db), hostKey: 'key', now: () => clock.now });
  const count = (): unknown => db.prepare('select count(*) from tombstone').pluck().get();
  return { tombstones, clock, count, db };
}

it.each([
  ['its name, whatever it runs', { name: 'b', customBot: 'other', config: { n: 2 } }, 'DELETED_BY_PERSON'],
  ['what it ran, under another name', { name: 'c', config: { n: 1 } }, 'DELETED_BY_PERSON'],
  ['another configuration', { name: 'c', config: { n: 2 } }, null],
  ['another custom bot', { name: 'c', customBot: 'other', config: { n: 1 } }, null],
  ['another user', { userId: 'user_2', name: 'b', config: { n: 1 } }, null],
])('what a person deleted is not made again: %s', (_, made, code) => {
  const { tombstones } = setup();
  tombstones.remember(aBot({ config: { n: 1 } }), 1000);
  expect(codeOf(() => tombstones.refuse(aBot({ botId: 'bot_2', ...made })))).toBe(code);
});

it('counts for a day, until a person has restored the bot, and says until when', () => {
  const { tombstones, clock, count } = setup();
  tombstones.remember(aBot(), clock.now);
  expect(() => tombstones.refuse(aBot())).toThrow('A person deleted the bot "b" at 1970-01-01T00:00:01.000Z');
  clock.now += DAY - 1;
  expect(codeOf(() => tombstones.refuse(aBot()))).toBe('DELETED_BY_PERSON');
  clock.now += 1;
  expect(codeOf(() => tombstones.refuse(aBot()))).toBeNull();
  // The next one sweeps those that are over.
  tombstones.remember(aBot({ botId: 'bot_2', name: 'c' }), clock.now);
  expect(count()).toBe(1);
  tombstones.forget(aBot({ botId: 'bot_2' }));
  expect(codeOf(() => tombstones.refuse(aBot({ name: 'c' })))).toBeNull();
});

it('keeps no configuration that could be read or guessed', () => {
  const { tombstones, db } = setup();
  tombstones.remember(aBot({ config: { api_key: 'hunter2' } }), 1000);
  expect(JSON.stringify(db.prepare('select * from tombstone').all())).not.toContain('hunter2');
});
