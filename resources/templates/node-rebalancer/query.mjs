import { query, state } from '@bot-platform/sdk';

// Handlers only read: state written by the bot, and query.get_config().
query.handler('/status', () => {
  const { value = null, prices = {}, paper = {}, updated_at = null } = state.get('bot_state', {});
  return {
    value,
    cash: paper.cash ?? null,
    held: paper.held ?? {},
    prices,
    newest_decisions: (paper.decisions ?? []).slice(-10),
    updated_at,
  };
});

query.run();
