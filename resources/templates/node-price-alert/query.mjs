import { query, state } from '@bot-platform/sdk';

// Handlers only read: state written by the bot, and query.get_config().
query.handler('/status', () => {
  const symbol = query.get_config().symbol ?? 'AAPL';
  const memory = state.get('bot_state', {})[symbol] ?? {};
  return {
    symbol,
    price: memory.price ?? null,
    moved_from: memory.moved_from ?? null,
    alerts: (memory.alerts ?? []).slice(0, 10),
    updated_at: memory.updated_at ?? null,
  };
});

query.run();
