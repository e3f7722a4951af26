/** The time zone whose clock a schedule goes by. Bots of earlier releases ran by that of UTC. */
export const botTimezone = `
alter table bot add column timezone text not null default 'UTC';
`;
