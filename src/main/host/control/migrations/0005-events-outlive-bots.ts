/** Events are no longer removed with their bot, because its deletion is an event too. Ids that were given out stay used. */
export const eventsOutliveBots = `
create table bot_event_kept (
  event_id integer primary key autoincrement, bot_id text not null, user_id text not null, at integer not null,
  kind text not null, status text, reason text, run_id text, changes text
) strict;
insert into bot_event_kept (event_id, bot_id, user_id, at, kind, status, reason, run_id, changes)
  select event_id, bot_id, user_id, at, kind, status, reason, run_id, changes from bot_event;
insert into sqlite_sequence (name, seq)
  select 'bot_event_kept', 0 where not exists (select 1 from sqlite_sequence where name = 'bot_event_kept');
update sqlite_sequence set seq = coalesce((select seq from sqlite_sequence where name = 'bot_event'), 0)
  where name = 'bot_event_kept';
drop table bot_event;
alter table bot_event_kept rename to bot_event;
create index bot_event_bot on bot_event(bot_id, event_id);
create index bot_event_user on bot_event(user_id, event_id);
`;
