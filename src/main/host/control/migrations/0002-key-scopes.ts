/** Keys for deploying, for named bots, and for the further tools of assistants. */
export const keyScopes = `
create table api_key_new (
  key_id text primary key, user_id text not null references user on delete cascade, name text not null,
  secret_hash blob not null, scope text not null check (scope in ('full','deploy','read')),
  bots text, extended integer not null default 0 check (extended in (0, 1)),
  created_at integer not null, last_used_at integer, expires_at integer, revoked_at integer
) strict;
insert into api_key_new (key_id, user_id, name, secret_hash, scope, created_at, last_used_at, expires_at, revoked_at)
  select key_id, user_id, name, secret_hash, scope, created_at, last_used_at, expires_at, revoked_at from api_key;
drop table api_key;
alter table api_key_new rename to api_key;
create index api_key_user on api_key(user_id);
`;
