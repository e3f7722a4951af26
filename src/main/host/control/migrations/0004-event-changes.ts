/** Changes made by an update, as a JSON list; null for events of other kinds. */
export const eventChanges = `
alter table bot_event add column changes text;
`;
