/** Names of what an audited call was about, at the time of the deed: JSON object; null where none were kept. */
export const auditNames = `
alter table audit add column names text;
`;
