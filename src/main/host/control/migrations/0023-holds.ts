/** What keeps a bot stopped until a person starts it, as JSON; null for nothing. */
export const holds = `
alter table bot add column hold text;
`;
