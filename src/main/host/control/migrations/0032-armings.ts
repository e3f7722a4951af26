/** The table alone, for a restored backup from before it. */
export const armingTable = `
create table if not exists arming (
  bot_id text primary key references bot on delete cascade, algorithm integer not null, version_hash text not null,
  config_hash text not null, permits_hash text not null, guards text not null, version text not null, armed_at integer not null,
  armed_by text not null, until integer not null, seen_at integer not null, stops_at_end integer not null,
  for_review integer not null, told integer not null default 0
) strict, without rowid;
`;

/**
 * `arming`: with what a person has allowed a bot to use its live secrets. `seen_at` is the highest clock seen since then, by which it
 * ends. `for_review`: the upgrade to this schema has armed it, and no person. The setting names the bots of now with their epochs and
 * generations (which a change of when they run raises alone): the
 * host arms those that hold live secrets and are unchanged as soon as it can read their configurations, so that they go on as they
 * were. Bots that wait in a copied or restored folder are not among them. A restore of a backup from before makes the table itself,
 * and no bot of it is armed.
 */
export const armings = `${armingTable}insert or ignore into setting (name, value) select 'arm_existing', json_group_object(bot_id, json_array(epoch, generation)) from bot
  where deleting = 0 and coalesce(json_extract(reason, '$.code'), '') not in ('COPIED', 'RESTORED');
`;
