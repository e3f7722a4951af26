/** What a new bot can begin with. Templates of several languages have the same strategy. */
export const STRATEGIES = [
  { id: 'empty', label: 'Empty bot', sentence: 'Runs, emits a metric and answers a query: the rest is yours.' },
  { id: 'grid', label: 'Grid trader', sentence: 'Buys at each step down, and sells what it bought one step up.' },
  { id: 'dca', label: 'Regular buyer', sentence: 'Buys for the same amount once an hour, day, week or month.' },
  { id: 'price-alert', label: 'Price alert', sentence: 'Tells once when a price passes a line, or has moved.' },
  { id: 'rebalancer', label: 'Rebalancer', sentence: 'Keeps each holding at its share of the portfolio.' },
] as const;

export type Strategy = (typeof STRATEGIES)[number];
export type StrategyId = Strategy['id'];

/** True for the id of a strategy. */
export const isStrategy = (text: string | null): text is StrategyId => STRATEGIES.some(({ id }) => id === text);
