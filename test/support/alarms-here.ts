import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { NewRule } from '../../src/contract/alarms.ts';
import { Alarms } from '../../src/main/host/alarms/alarms.ts';
import { BotAlarms } from '../../src/main/host/alarms/bot-alarms.ts';
import { BotBus } from '../../src/main/host/bots/bot-bus.ts';
import { Journal } from '../../src/main/host/bots/journal.ts';
import { createAlarmStore } from '../../src/main/host/control/alarm-store.ts';
import { type BotRow, createBotStore } from '../../src/main/host/control/bot-store.ts';
import { openControlDatabase } from '../../src/main/host/control/control-database.ts';
import { createEventStore } from '../../src/main/host/control/event-store.ts';
import { createRunStore } from '../../src/main/host/control/run-store.ts';
import { IdSource } from '../../src/shared/sortable-ids.ts';
import { AlarmReceiver } from './alarm-receiver.ts';
import { botRow } from './bot-row.ts';
import { noSeal } from './no-seal.ts';
import { noWishes } from './no-wishes.ts';
import { tempDir } from './temp.ts';
import { testBox } from './test-box.ts';

/** A moment to begin with: 2026-11-29, a Sunday, 12:00 UTC. */
export const NOON = Date.UTC(2026, 10, 29, 12);
const SECRET = 'a signing secret of the tests';

/** Alarms of a real control database with an owner, a user and a bot, on a clock that the test moves. */
export function alarmsHere(options: { readonly secretsOf?: () => readonly string[] } = {}) {
  const dir = tempDir('alarms-');
  const file = `${dir}/control.db`;
  const db = openControlDatabase(file, { backupDir: dir, now: () => 0 });
  // No power cut happens here, and a thousand commits take a second instead of many.
  db.pragma('synchronous = OFF');
  db.exec(`
    insert into user values ('user_1', 'owner', 'owner', null, 0) on conflict do nothing;
    insert into user values ('user_2', 'guest', 'user', null, 0) on conflict do nothing;
    insert into custom_bot_version values ('user_1', 'tracker', '1.0.0', '{}', '{}', 'h', 0) on conflict do nothing;
  `);
  const clock = { ms: NOON };
  const now = (): number => clock.ms;
  const ids = new IdSource(now, randomBytes);
  const errors: unknown[] = [];
  const bots = createBotStore(db, noWishes(), noSeal);
  const runs = createRunStore(db, noSeal);
  const store = createAlarmStore(db);
  const begin = () =>
    new Alarms({
      store,
      box: testBox(),
      newId: (prefix) => ids.next(prefix),
      now,
      startedAt: clock.ms,
      secretsOf: options.secretsOf ?? (() => []),
      nameOf: (id) => bots.get(id)?.name ?? null,
      onError: (where, error) => errors.push([where, error]),
    });
  let alarms = begin();
  const onError = (where: string, error: unknown): void => void errors.push([where, error]);
  const events = createEventStore(db);
  const journal = new Journal({
    bots,
    events,
    bus: new BotBus(),
    transaction: (work) => db.transaction(work)(),
    now,
    stored: (change) => new BotAlarms({ outbox: alarms.outbox, runs, events, store, onError }).stored(change),
  });
  onTestFinished(async () => {
    await alarms.close();
    db.close();
  });
  const addBot = (botId: string, more: Partial<BotRow> = {}): void =>
    journal.add(botRow({ botId, name: botId, ...more }), () => undefined);
  if (bots.get('bot_1') === null) journal.add(botRow(), () => undefined);
  return {
    ...{ db, clock, ids, errors, bots, runs, store, journal, addBot },
    get alarms() {
      return alarms;
    },
    /** Another host on the same database. */
    async restart(): Promise<void> {
      await alarms.close();
      alarms = begin();
      alarms.start();
    },
    /** A webhook of a receiver, verified by a test message that is taken out of what was received. */
    async webhook(name = 'hook', userId = 'user_1'): Promise<AlarmReceiver> {
      const receiver = await AlarmReceiver.start(onTestFinished);
      const settings = { url: receiver.url, secret: SECRET };
      const { channel_id } = alarms.addChannel(userId, { name, kind: 'webhook', settings });
      const test = await alarms.testChannel(userId, channel_id);
      if (!test.sent) throw new Error(test.problem ?? 'the test was not sent');
      receiver.received.length = 0;
      // The test counts among the messages of its minute.
      clock.ms += 61_000;
      return receiver;
    },
    /** The bot fails once more. */
    fail(botId = 'bot_1', code = 'EXIT_CODE', message = 'Ended with exit code 1'): void {
      const before = bots.get(botId);
      const failures = (before?.health.failures ?? 0) + 1;
      const reason = { code, message, hint: null, at: new Date(clock.ms).toISOString() };
      const state = failures >= 3 ? 'crash_looping' : 'recovering';
      journal.change(botId, { status: 'backing_off', reason, health: { state, failures, reason } });
    },
    recover(botId = 'bot_1'): void {
      const health = { state: 'ok', failures: 0, reason: null } as const;
      journal.change(botId, { status: 'running', reason: null, health });
    },
    rule: (rule: NewRule) => alarms.addRule('user_1', rule),
    removeRules(): void {
      for (const { rule_id } of alarms.rules('user_1')) alarms.removeRule('user_1', rule_id);
    },
    /** Lets what is due be sent. */
    async settle(): Promise<void> {
      alarms.delivery.sendSoon();
      do await new Promise((resolve) => setImmediate(resolve));
      while (alarms.delivery.isBusy);
    },
    log: () => alarms.log('user_1', { botId: null, limit: 200 }).items,
  };
}

export const SIGNING_SECRET = SECRET;
