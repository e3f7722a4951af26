/** Folders that a user has opened as projects in the editor. */
export const projects = `
create table project (
  project_id text primary key, user_id text not null references user on delete cascade, dir text not null,
  opened_at integer not null, unique (user_id, dir)
) strict;
`;
