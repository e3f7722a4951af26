/** A restore of a backup from before makes the tables itself, to keep the guards of the folder. */
export const guardTables = `
create table if not exists guard (
  guard_id text primary key, bot_id text not null references bot on delete cascade, kind text not null, symbol text not null,
  spec text not null, state text not null, unique (bot_id, kind, symbol)
) strict, without rowid;
create table if not exists guard_cursor (
  bot_id text primary key references bot on delete cascade, seq integer not null
) strict, without rowid;
`;

/**
 * Guards of bots. `spec` is what a person set, `state` what its rows came to up to the cursor of the bot: both are stored in one
 * transaction with the event of a guard that fires, so that no row is judged twice or never. Rules of alarms that tell of crash
 * loops and nothing else, as every user begins with, tell of guards as well.
 */
export const guards = `
${guardTables}
update alarm_rule set rule = json_set(rule, '$.on', json_array('crash_loop', 'guard_fired'))
  where json_extract(rule, '$.on') = '["crash_loop"]';
`;
