/**
 * Secret values with which a program was started: they must be masked in its output as long as it runs, whatever its
 * config says by then.
 */
export const unitSecrets = `
alter table unit add column secrets text not null default '[]';
`;
