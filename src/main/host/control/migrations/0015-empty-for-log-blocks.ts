/**
 * Logs are written in blocks from here on, which no release before can read: with a version of its own, those refuse the
 * data folder instead of leaving the output of its bots unread.
 */
export const logBlocks = `
select 1;
`;
