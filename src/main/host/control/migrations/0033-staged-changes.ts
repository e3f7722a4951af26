/**
 * `staged_change`: what a key asked of an armed bot, until a person approves or rejects it. `request` is sealed, because it may hold
 * secrets. `generation` is that of the bot when it was asked for; `version` is the one that would run, and `version_hash` that of its
 * content then. A restore of a backup from before makes the table itself.
 */
export const stagedChanges = `
create table if not exists staged_change (
  bot_id text primary key references bot on delete cascade, change_id text not null, generation integer not null,
  version text not null, version_hash text not null, request text not null, changes text not null, asked_by text not null,
  key_id text not null, client text, asked_at integer not null, expires_at integer not null
) strict, without rowid;
`;
