import { expect, it, onTestFinished } from 'vitest';
import { BotBus } from '../../../../../src/main/host/bots/bot-bus.ts';
import { Journal } from '../../../../../src/main/host/bots/journal.ts';
import { createBotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createEventStore } from '../../../../../src/main/host/control/event-store.ts';
import { botRow } from '../../../../support/bot-row.ts';
import { noSeal } from '../../../../support/no-seal.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { tempDir } from '../../../../support/temp.ts';

const ROW = botRow();

function setup() {
  const dir = tempDir('journal-');
  const db = openControlDatabase(`${dir}/control.db`, { backupDir: dir, now: () => 0 });
  onTestFinished(() => void db.close());
  db.exec(`
    insert into user values ('user_1', 'owner', 'owner', null, 0);
    insert into custom_bot_version values ('user_1', 'tracker', '1.0.0', '{}', '{}', 'h', 0);
  `);
  const clock = { ms: 0 };
  const bots = createBotStore(db, noWishes(), noSeal);
  const events = createEventStore(db);
  const transaction = <T>(work: () => T): T => db.transaction(work)();
  const journal = new Journal({ bots, events, bus: new BotBus(), transaction, now: () => clock.ms });
  const kinds = (after = 0): string[] =>
    events.after('user_1', after, 100).map(({ bot_id, kind }) => `${bot_id} ${kind}`);
  return { journal, bots, events, clock, kinds };
}

it('keeps of a deleted bot that it was deleted, for those who read on later', () => {
  const { journal, bots, events, clock, kinds } = setup();
  journal.add(ROW, () => undefined);
  journal.change('bot_1', { status: 'running' });
  const seen = events.newest();
  journal.remove(ROW);
  expect(bots.get('bot_1')).toBeNull();
  expect(kinds(seen)).toEqual(['bot_1 deleted']);
  expect(kinds()).toEqual(['bot_1 deleted']);
  clock.ms = 31 * 86_400_000;
  journal.add({ ...ROW, botId: 'bot_2' }, () => undefined);
  journal.remove({ ...ROW, botId: 'bot_2' });
  expect(kinds()).toEqual(['bot_2 deleted']);
});

it('stores neither bot nor event when the check refuses', () => {
  const { journal, bots, kinds } = setup();
  const refuse = (): never => {
    throw new Error('taken');
  };
  expect(() => journal.add(ROW, refuse)).toThrow('taken');
  expect(bots.get('bot_1')).toBeNull();
  expect(kinds()).toEqual([]);
});
