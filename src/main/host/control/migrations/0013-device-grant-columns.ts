/**
 * Source of a log-in by code, and the scope and lifetime that its approver gives the key. Earlier codes are removed: their
 * programs begin again.
 */
export const deviceGrants = `
delete from device_code;
alter table device_code add column source text not null default '';
alter table device_code add column scope text;
alter table device_code add column expires_in_days integer;
`;
