/**
 * The vault: which key seals the secrets of this database, and the secrets that have names. `state` is `sealing` until
 * everything that an earlier release stored in the clear is sealed, also in its backups.
 */
export const vault = `
create table vault (
  id integer primary key check (id = 1), key_id text not null, state text not null, recovery_shown_at integer,
  created_at integer not null
) strict;
create table secret (
  user_id text not null references user on delete cascade, name text not null, class text not null, sealed text not null,
  created_at integer not null, created_by text not null, rotated_at integer, rotated_by text, primary key (user_id, name)
) strict, without rowid;
`;
