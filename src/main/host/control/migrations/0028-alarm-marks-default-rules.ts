/**
 * What alarms must know over a restart of the host. `alarm_mark` holds facts of the host from which the next one concludes what
 * happened in between: that it ran, its clocks, a backup that had begun. `alarm_cursor.state` is what the rows up to the cursor came
 * to. `alarm_rule.default_id` names the default rule that a rule still is, `alarm_user.defaults` those that the user has had: a rule
 * that nobody changed grows with a release, and one that was removed stays away. Earlier releases stored default rules as the texts
 * below, and the change of a person as a text with every field.
 */
export const alarmMarksDefaultRules = `
create table alarm_mark (name text primary key, value text not null) strict, without rowid;
alter table alarm_cursor add column state text;
alter table alarm_rule add column default_id text;
alter table alarm_user add column defaults text not null default '[]';
update alarm_user set defaults = '["failures","critical","host","sleep","access"]';
update alarm_rule set default_id = case rule
  when '{"on":["failed","run_missed","run_too_slow"],"severity":"warning"}' then 'failures'
  when '{"on":["crash_loop"],"severity":"critical"}' then 'critical'
  when '{"on":["crash_loop","duplicate_order"],"severity":"critical"}' then 'critical'
  when '{"on":["crash_loop","guard_fired"],"severity":"critical"}' then 'critical'
  when '{"on":["crash_loop","guard_fired","duplicate_order"],"severity":"critical"}' then 'critical'
  when '{"on":["crash_loop","duplicate_order","guard_fired"],"severity":"critical"}' then 'critical'
  when '{"on":["disk","engine_lost","backup_failed","host_crashed","clock_jumped"],"severity":"warning"}' then 'host'
  when '{"on":["slept"],"severity":"info"}' then 'sleep'
  when '{"on":["new_access"],"severity":"warning"}' then 'access'
  end;
update alarm_rule set default_id = null where exists (
  select 1 from alarm_rule earlier where earlier.user_id = alarm_rule.user_id and earlier.default_id = alarm_rule.default_id
  and (earlier.created_at, earlier.rule_id) < (alarm_rule.created_at, alarm_rule.rule_id));
create unique index alarm_rule_default on alarm_rule(user_id, default_id) where default_id is not null;
`;
