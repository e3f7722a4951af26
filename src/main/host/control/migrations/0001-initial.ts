/** Control database, first version. Times are milliseconds since the epoch; JSON is text. */
export const initial = `
create table user (
  user_id text primary key, name text not null unique, role text not null check (role in ('owner','user')),
  password_hash text, created_at integer not null
) strict;
create table api_key (
  key_id text primary key, user_id text not null references user on delete cascade, name text not null,
  secret_hash blob not null, scope text not null check (scope in ('full','read')), created_at integer not null,
  last_used_at integer, expires_at integer, revoked_at integer
) strict;
create index api_key_user on api_key(user_id);
create table session (
  session_id text primary key, user_id text not null references user on delete cascade, secret_hash blob not null,
  created_at integer not null, expires_at integer not null
) strict;
create table device_code (
  device_hash blob primary key, user_code text not null unique, client text not null, expires_at integer not null,
  user_id text references user on delete cascade, approved_at integer
) strict;
create table audit (
  audit_id integer primary key, at integer not null, user_id text, method text not null, key_id text, client text,
  operation text not null, target text, outcome text not null, duration_ms real not null
) strict;
create index audit_user on audit(user_id, audit_id);
create table custom_bot_version (
  user_id text not null references user on delete cascade, name text not null, version text not null, record text not null,
  schema text not null, hash text not null, created_at integer not null, primary key (user_id, name, version)
) strict, without rowid;
create table bot (
  bot_id text primary key, user_id text not null references user on delete restrict, name text not null,
  type text not null check (type in ('realtime','scheduled')), custom_bot text not null, version text not null,
  schedule text, config text not null, flat integer not null, options text not null, enabled integer not null,
  deleting integer not null default 0, generation integer not null default 1, status text not null, reason text,
  restarts integer not null default 0, failures integer not null default 0, next_attempt_at integer, scheduled_from integer,
  created_at integer not null, updated_at integer not null,
  unique (user_id, name),
  foreign key (user_id, custom_bot, version) references custom_bot_version(user_id, name, version)
) strict;
create table run (
  run_id text primary key, bot_id text not null references bot on delete cascade, version text not null, trigger text not null,
  status text not null, slot integer, started_at integer, ended_at integer, exit_code integer, signal text, result text,
  reason text, created_at integer not null
) strict;
create index run_bot on run(bot_id, run_id);
create index run_unfinished on run(run_id) where status in ('starting','running');
create unique index run_slot on run(bot_id, slot) where slot is not null;
create table unit (
  run_id text not null references run on delete cascade, role text not null check (role in ('bot','query')),
  bot_id text not null references bot on delete cascade, engine text not null, generation integer not null, handle text not null,
  deadline integer, created_at integer not null, primary key (run_id, role)
) strict, without rowid;
create table bot_event (
  event_id integer primary key autoincrement, bot_id text not null references bot on delete cascade, user_id text not null, at integer not null,
  kind text not null, status text, reason text, run_id text
) strict;
create index bot_event_bot on bot_event(bot_id, event_id);
create index bot_event_user on bot_event(user_id, event_id);
create table setting (name text primary key, value text not null) strict, without rowid;
`;
