import { isJsonObject } from '../../../shared/json.ts';

/** Equity of one account in one currency. Amounts are digits. */
export interface EquitySeries {
  /** At the start of the day, or the first that was seen. */
  readonly start: string;
  readonly last: string;
  readonly peak: string;
}

/**
 * What the rows of a bot came to for one guard. It is stored with the cursor of the bot, so that a host that was killed goes on
 * from rows that it has not judged.
 */
export interface GuardMemory {
  /** Day of the newest row in the guard's zone. */
  day: string | null;
  readonly equity: Map<string, EquitySeries>;
  readonly positions: Map<string, string>;
  readonly prices: Map<string, string>;
  /** Arrival of the rows that were counted within a minute before the newest one, in ms. */
  times: number[];
  /** Orders that were counted, the newest last. */
  orders: string[];
  /** How long the running bot has printed nothing, in ms of a clock that stands still while the machine sleeps. */
  quietMs: number;
  /** For how long rows that the guard needs were missing while the bot ran, in ms. */
  waitingMs: number;
  waitTold: boolean;
  value: string | null;
  /** Worst value after any of the rows that are not judged yet: a batch may end better than it was on its way. */
  worst: string | null;
  /** Worst value that it has fired for; null once it is within the limit, without a row beyond it since the judgement before. */
  told: string | null;
  firedAt: number | null;
}

export function newMemory(): GuardMemory {
  return {
    day: null,
    equity: new Map(),
    positions: new Map(),
    prices: new Map(),
    times: [],
    orders: [],
    quietMs: 0,
    waitingMs: 0,
    waitTold: false,
    value: null,
    worst: null,
    told: null,
    firedAt: null,
  };
}

/** A memory as JSON. */
export function storedMemory(memory: GuardMemory): unknown {
  const { equity, positions, prices, ...rest } = memory;
  return { ...rest, equity: [...equity], positions: [...positions], prices: [...prices] };
}

/** Reads what storedMemory has written. */
export function readMemory(stored: unknown): GuardMemory {
  if (!isJsonObject(stored)) return newMemory();
  const { equity, positions, prices, ...rest } = stored as unknown as Record<string, never>;
  return {
    ...newMemory(),
    ...(rest as Partial<GuardMemory>),
    equity: new Map(equity),
    positions: new Map(positions),
    prices: new Map(prices),
  };
}
