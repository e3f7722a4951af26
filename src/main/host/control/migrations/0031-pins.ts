/**
 * `pin`: the PIN of a user as an argon2id hash, with the wrong ones since the last right one. A restore of a backup from before
 * makes the table itself, to keep the PINs of the folder.
 */
export const pins = `
create table if not exists pin (
  user_id text primary key references user on delete cascade, hash text not null, set_at integer not null,
  wrong integer not null default 0, wrong_at integer
) strict, without rowid;
`;
