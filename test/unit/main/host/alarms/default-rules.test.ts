import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { Outbox } from '../../../../../src/main/host/alarms/outbox.ts';
import { createAlarmStore } from '../../../../../src/main/host/control/alarm-store.ts';
import { type ControlDatabase, MIGRATIONS, migrate } from '../../../../../src/main/host/control/control-database.ts';
import { alarmsHere } from '../../../../support/alarms-here.ts';
import { tempDir } from '../../../../support/temp.ts';

/** What earlier releases stored for a new user, one list for each form that the rules have had. */
const EARLIER = [
  ['{"on":["failed","run_missed","run_too_slow"],"severity":"warning"}', '{"on":["crash_loop"],"severity":"critical"}'],
  [
    '{"on":["failed","run_missed","run_too_slow"],"severity":"warning"}',
    '{"on":["crash_loop","duplicate_order"],"severity":"critical"}',
  ],
  [
    '{"on":["failed","run_missed","run_too_slow"],"severity":"warning"}',
    '{"on":["crash_loop","duplicate_order","guard_fired"],"severity":"critical"}',
  ],
];

/** A control database of an earlier release with these rules, as this release opens it. */
function upgraded(rules: readonly string[], version: number): ControlDatabase {
  const db = new Database(`${tempDir('rules-')}/control.db`);
  onTestFinished(() => void db.close());
  const backupDir = tempDir('rules-backup-');
  migrate(db, { backupDir, now: () => 0, migrations: MIGRATIONS.filter((one) => one.version <= version) });
  db.exec(`insert into user values ('user_1', 'owner', 'owner', null, 0);
    insert into alarm_user (user_id) values ('user_1');`);
  for (const [index, rule] of rules.entries())
    db.prepare('insert into alarm_rule values (?, ?, ?, ?)').run(`rul_${index}`, 'user_1', rule, index);
  migrate(db, { backupDir, now: () => 1 });
  return db;
}

function eventsOf(db: ControlDatabase) {
  const store = createAlarmStore(db);
  let made = 0;
  const newId = (prefix: string): string => `${prefix}_new_${made++}`;
  const outbox = new Outbox({ store, newId, now: () => 2, secretsOf: () => [], added: () => undefined });
  return outbox.rulesOf('user_1').map(({ ruleId, rule }) => [ruleId, rule.on]);
}

it.each(EARLIER.flatMap((rules) => [20, 23, 26].map((version) => ({ rules, version }))))(
  'brings the rules of an earlier release up to date (schema $version)',
  ({ rules, version }) => {
    expect(eventsOf(upgraded(rules, version))).toEqual([
      ['rul_0', ['failed', 'run_missed', 'run_too_slow', 'arming_ends']],
      ['rul_1', ['crash_loop', 'duplicate_order', 'guard_fired', 'network_lost']],
      ['rul_new_0', ['egress_blocked']],
      ['rul_new_1', ['change_waits']],
    ]);
  },
);

it('leaves a rule alone that a person has changed, and brings none back that was removed', () => {
  const changed = '{"on":["crash_loop"],"bots":null,"channels":null,"severity":"critical","enabled":false}';
  expect(eventsOf(upgraded([changed], 26))).toEqual([
    ['rul_0', ['crash_loop']],
    ['rul_new_0', ['egress_blocked']],
    ['rul_new_1', ['change_waits']],
  ]);
});

it('takes no rule of a person for a default one because it reads the same', () => {
  const twice = '{"on":["crash_loop"],"severity":"critical"}';
  expect(eventsOf(upgraded([twice, twice], 26)).map(([id]) => id)).toEqual([
    'rul_0',
    'rul_1',
    'rul_new_0',
    'rul_new_1',
  ]);
});

it('gives everybody a rule that a release adds, once', () => {
  const here = alarmsHere();
  expect(here.alarms.rules('user_1')).toHaveLength(7);
  const sleep = here.alarms.rules('user_1').find(({ on }) => on.includes('slept'));
  here.alarms.removeRule('user_1', sleep?.rule_id ?? '');
  here.alarms.outbox.forget('user_1');
  expect(here.alarms.rules('user_1')).toHaveLength(6);
  // As for a user of a release that did not have this rule yet.
  here.store.setDefaults('user_1', ['failures', 'critical', 'host', 'egress', 'access']);
  here.alarms.outbox.forget('user_1');
  expect(here.alarms.rules('user_1')).toHaveLength(7);
  const access = here.alarms.rules('user_1').find(({ on }) => on.includes('new_access'));
  here.alarms.changeRule('user_1', access?.rule_id ?? '', { enabled: false });
  here.alarms.outbox.forget('user_1');
  expect(here.alarms.rules('user_1').find(({ on }) => on.includes('new_access'))?.enabled).toBe(false);
});
