/** Choices of guards, without schemas, so that the dashboard can load them. */

/** What a guard watches, in words that complete "Fires when …". */
export const GUARD_KINDS = {
  daily_loss: 'the equity has fallen by so much since the day began',
  drawdown: 'the equity is so much below its highest value',
  orders_per_minute: 'so many orders are sent within a minute',
  position_limit: 'a position in a symbol is as large as this',
  error_rate: 'so many lines of errors are printed within a minute',
  silent_for: 'the running bot has printed nothing for so many seconds',
} as const;

export type GuardKind = keyof typeof GUARD_KINDS;
export const GUARD_KIND_NAMES = Object.keys(GUARD_KINDS) as [GuardKind, ...GuardKind[]];

/**
 * Units of a limit. `currency`: in the currency of the row; `percent`: of the equity at the day's start; `quantity`: of a position;
 * `count`: of rows; `seconds`.
 */
export const GUARD_UNITS = ['currency', 'percent', 'quantity', 'count', 'seconds'] as const;
export type GuardUnit = (typeof GUARD_UNITS)[number];

/** Units that a kind takes; the first one is meant where none is named. */
export const UNITS_OF: Readonly<Record<GuardKind, readonly [GuardUnit, ...GuardUnit[]]>> = {
  daily_loss: ['currency', 'percent'],
  drawdown: ['currency', 'percent'],
  orders_per_minute: ['count'],
  position_limit: ['quantity', 'currency', 'percent'],
  error_rate: ['count'],
  silent_for: ['seconds'],
};
