/** Display preferences of each user, as JSON. */
export const preferences = `
create table preference (
  user_id text primary key references user on delete cascade, value text not null
) strict;
`;
