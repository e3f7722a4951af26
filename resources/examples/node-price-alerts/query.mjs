import { query, state } from '@bot-platform/sdk';

const MAX_LIMIT = 100;

query.handler('/alerts', (request) => {
  const limit = Number(request.get('limit', '20'));
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new Error(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  const { active, prices, alerts } = state.get('alert_state', null) ?? { active: {}, prices: {}, alerts: [] };
  return {
    alerts: alerts.slice(0, limit),
    total: alerts.length,
    now: Object.entries(prices).map(([symbol, price]) => ({ symbol, price, beyond: active[symbol] ?? [] })),
  };
});

query.run();
