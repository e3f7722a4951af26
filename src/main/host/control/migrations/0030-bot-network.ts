/** What the gate does with the connections of a bot (`open`, `observe`, `enforce`). A bot without a row is `open`. */
export const botNetwork = `
create table bot_network (
  bot_id text primary key references bot on delete cascade, mode text not null, set_at integer not null
) strict, without rowid;
`;
