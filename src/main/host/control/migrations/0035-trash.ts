/**
 * `trash` of a bot: when it was deleted, and by whom; null for one that is not. Its own name is in `trash_name` then, and `name` holds
 * a text that nobody can give a bot, so that the name is free. `tombstone`: what a person deleted, for as long as no key makes it again.
 */
export const trash = `
alter table bot add column trash text;
alter table bot add column trash_name text;
create table if not exists tombstone (
  user_id text not null references user on delete cascade, bot_id text not null, name text not null, print text not null,
  at integer not null, primary key (user_id, bot_id)
) strict, without rowid;
`;
