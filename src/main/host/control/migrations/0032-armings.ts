/**
 * `arming`: with what a person has allowed a bot to use its live secrets. `seen_at` is the highest clock seen since then, by which it
 * ends. `for_review`: the upgrade to this schema has armed it, and no person. The setting has the host arm, at its first start, the
 * bots that hold live secrets already: they go on as they were. A restore of a backup from before makes the table itself, and no bot
 * of it is armed.
 */
export const armings = `
create table if not exists arming (
  bot_id text primary key references bot on delete cascade, algorithm integer not null, version_hash text not null,
  config_hash text not null, permits_hash text not null, guards text not null, version text not null, armed_at integer not null,
  armed_by text not null, until integer not null, seen_at integer not null, stops_at_end integer not null,
  for_review integer not null, told integer not null default 0
) strict, without rowid;
insert or ignore into setting (name, value) values ('arm_existing', 'due');
`;
