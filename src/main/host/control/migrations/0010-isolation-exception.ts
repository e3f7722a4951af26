/** When the least isolation of the host rose above a bot that keeps its engine all the same; null for every other bot. */
export const isolationException = `
alter table bot add column isolation_exception text;
`;
