/** Where a log-in by code began, and what its approver lets the key do: codes of before get what they were given then. */
export const deviceGrants = `
delete from device_code;
alter table device_code add column source text not null default '';
alter table device_code add column scope text;
alter table device_code add column expires_in_days integer;
`;
