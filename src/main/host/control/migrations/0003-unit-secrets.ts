/** What a program was started with must be masked in its output for as long as it runs, whatever its config says by then. */
export const unitSecrets = `
alter table unit add column secrets text not null default '[]';
`;
