/**
 * What the gate does with the connections of a bot (`open`, `observe`, `enforce`). A bot without a row is `open`. A restore of a
 * backup from before makes the table itself, to keep the modes of the folder.
 */
export const botNetwork = `
create table if not exists bot_network (
  bot_id text primary key references bot on delete cascade, mode text not null, set_at integer not null
) strict, without rowid;
`;
