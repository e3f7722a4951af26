/**
 * Gives the two counters of a bot the names that they have everywhere else: `epoch` grows with each change that a running program
 * must be restarted for, `generation` with each change of the setup, as on the wire.
 */
export const botEpoch = `
alter table bot rename column generation to epoch;
alter table bot rename column change_count to generation;
alter table unit rename column generation to epoch;
`;
