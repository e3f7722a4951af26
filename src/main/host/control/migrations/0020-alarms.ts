/**
 * Alarms. `alarm_delivery` is the outbox: its rows are stored with the event of which they tell. `message` is the id under which
 * a delivery is sent; deliveries of one digest share it. An incident is open from "failed" until "recovered".
 */
export const alarms = `
create table alarm_user (
  user_id text primary key references user on delete cascade, seen integer not null default 0
) strict, without rowid;
create table alarm_channel (
  channel_id text primary key, user_id text not null references user on delete cascade, name text not null, kind text not null,
  target text not null, sealed text not null, state text not null, problem text, attempts integer not null default 0,
  retry_at integer, failing_since integer, last_sent_at integer, created_at integer not null
) strict;
create index alarm_channel_user on alarm_channel(user_id);
create table alarm_rule (
  rule_id text primary key, user_id text not null references user on delete cascade, rule text not null,
  created_at integer not null
) strict;
create index alarm_rule_user on alarm_rule(user_id);
create table alarm (
  seq integer primary key autoincrement, alarm_id text not null unique,
  user_id text not null references user on delete cascade, bot_id text, at integer not null, event text not null,
  severity text not null, title text not null, text text not null, note text, source text not null,
  unique (user_id, source)
) strict;
create index alarm_user_seq on alarm(user_id, seq);
create table alarm_delivery (
  alarm_id text not null references alarm(alarm_id) on delete cascade,
  channel_id text not null references alarm_channel on delete cascade, state text not null, not_before integer not null,
  after_alarm text, message text, sent_at integer, problem text, delayed text,
  primary key (alarm_id, channel_id)
) strict, without rowid;
create index alarm_delivery_waiting on alarm_delivery(channel_id, not_before) where state = 'waiting';
create index alarm_delivery_sent on alarm_delivery(channel_id, sent_at) where state = 'sent';
create table alarm_incident (
  user_id text not null references user on delete cascade, incident text not null, alarm_id text not null,
  opened_at integer not null, primary key (user_id, incident)
) strict, without rowid;
create table alarm_told (
  rule_id text not null references alarm_rule on delete cascade, subject text not null, at integer not null,
  primary key (rule_id, subject)
) strict, without rowid;
create table alarm_mute (
  user_id text not null references user on delete cascade, bot_id text not null, until integer not null,
  primary key (user_id, bot_id)
) strict, without rowid;
create table alarm_cursor (
  bot_id text primary key references bot on delete cascade, seq integer not null
) strict, without rowid;
create table alarm_watch (
  id integer primary key check (id = 1), sealed text not null, target text not null, every_ms integer not null,
  all_bots integer not null, last_at integer, problem text
) strict;
`;
