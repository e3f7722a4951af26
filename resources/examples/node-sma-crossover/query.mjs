import { query, state } from '@bot-platform/sdk';

const MAX_LIMIT = 100;

query.handler('/status', () => {
  const saved = state.get('bot_state', null) ?? {};
  const config = query.get_config();
  return {
    symbol: saved.symbol ?? config.symbol ?? 'AAPL',
    last_price: saved.last_price ?? null,
    change_pct: saved.change_pct ?? null,
    short_sma: saved.short_sma ?? null,
    long_sma: saved.long_sma ?? null,
    short_period: saved.short_period ?? config.short_period ?? 5,
    long_period: saved.long_period ?? config.long_period ?? 20,
    last_signal: saved.signals?.[0] ?? null,
    iterations: saved.iterations ?? 0,
    updated_at: saved.updated_at ?? null,
  };
});

query.handler('/signals', (request) => {
  const limit = Number(request.get('limit', '10'));
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new Error(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  const signals = state.get('bot_state', null)?.signals ?? [];
  return { signals: signals.slice(0, limit), total: signals.length };
});

query.run();
