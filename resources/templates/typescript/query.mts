import { query, state } from '@bot-platform/sdk';

// Handlers only read: state written by the bot, and query.getConfig().
query.handler('/status', () => {
  const { rounds, updated_at } = state.get('bot_state', { rounds: 0, updated_at: null });
  return { name: '{{name}}', rounds, updated_at };
});

query.run();
