/** Every step of a bot asks for its units; without this it reads those of all bots. */
export const unitBotIndex = `
create index unit_bot on unit(bot_id);
`;
