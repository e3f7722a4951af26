/** `removed_version`: the hash of the content that a removed version had, so that its number never returns with other content. */
export const removedVersions = `
create table if not exists removed_version (
  user_id text not null references user on delete cascade, name text not null, version text not null, hash text not null,
  primary key (user_id, name, version)
) strict, without rowid;
`;
