/** From where and with what a session began, and when it was last used: so that people can tell theirs apart. */
export const sessionOriginLastUsed = `
alter table session add column source text;
alter table session add column client text;
alter table session add column last_used_at integer;
create index session_user on session(user_id);
`;
