import { query, state } from '@bot-platform/sdk';

// Handlers only read: state written by the bot, and query.get_config().
query.handler('/status', () => {
  const symbol = query.get_config().symbol ?? 'AAPL';
  const { price = null, paper = {} } = state.get('bot_state', {})[symbol] ?? {};
  return {
    symbol,
    price,
    cash: paper.cash ?? null,
    quantity: paper.held?.[symbol] ?? '0',
    newest_decisions: (paper.decisions ?? []).slice(-10),
  };
});

query.run();
