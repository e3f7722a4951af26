/**
 * Exception of a bot that keeps its engine although the least isolation of the host rose above it, as JSON with that
 * isolation and the time of the rise; null for every other bot.
 */
export const isolationException = `
alter table bot add column isolation_exception text;
`;
