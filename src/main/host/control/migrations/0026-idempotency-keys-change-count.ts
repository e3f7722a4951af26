/**
 * `deploy_key`: which bot a request with an idempotency key made; `print` is a keyed hash of the request. A row outlives its bot,
 * so that a repeated request does not make a deleted bot again. `change_count` grows with each change of a bot's setup.
 */
export const idempotencyKeysChangeCount = `
create table deploy_key (
  user_id text not null references user on delete cascade, key text not null, print text not null, bot_id text not null,
  at integer not null, primary key (user_id, key)
) strict, without rowid;
create index deploy_key_at on deploy_key(at);
alter table bot add column change_count integer not null default 1;
`;
