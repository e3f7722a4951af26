/**
 * What a run trades with, and the hash of its version, which may be removed while its rows stay. The host cannot tell it of
 * earlier runs.
 */
export const runModeVersionHash = `
alter table run add column mode text not null default 'unverified';
alter table run add column version_hash text;
`;
