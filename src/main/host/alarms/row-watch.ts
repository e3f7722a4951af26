import type { MetricEvent } from '../../../contract/telemetry.ts';
import { formatDuration } from '../../../shared/format-quantity.ts';
import type { AlarmFact, Recovery } from './alarm-fact.ts';
import { silenceOf } from './bot-events.ts';
import type { WholeRule } from './default-rules.ts';
import { isWithin } from './hours.ts';
import type { ActiveRule } from './outbox.ts';
import { BOT_TEXT_CHARS, nameWords, oneLine } from './words.ts';

const FIELD = 'value';
/** Symbols of one bot that a rule follows at the same time. */
const MOST_STREAKS = 1000;

/** What a bot printed while no host ran is stored within this time after the next one has started. */
const GRACE_MS = 15_000;

/** The bot of a watch, as messages name it. */
export interface WatchedBot {
  readonly botId: string;
  readonly userId: string;
  readonly name: string;
}

/** What follows from new rows, or from their absence. */
export type RowConsequence = { readonly raise: AlarmFact } | { readonly recover: Recovery };

interface Streak {
  /** Samples beyond the line, in a row. */
  count: number;
  told: boolean;
}

/** Text of a field of a metric, short and on one line; an order's symbol comes from the bot, and is masked with the message. */
const textOf = (data: MetricEvent['data'], name: string): string | null => {
  const value = data[name];
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value), 60) : null;
};

function isBeyond({ above, below }: WholeRule, value: number): boolean {
  return (above !== null && value > above) || (below !== null && value < below);
}

/** What rows have come to for one rule: kept with the cursor of the bot, so that the next host goes on from there. */
interface RuleState {
  readonly ruleId: string;
  /** The rule as it was: a rule that has changed begins anew. */
  readonly rule: string;
  /** For how long it has heard nothing, in ms. */
  readonly quietMs: number;
  readonly streaks: readonly (readonly [symbol: string, streak: Streak])[];
}

/** The states in a text that `RowWatch.state` gave; none for another text. */
function statesIn(text: string | null): readonly RuleState[] {
  const value: unknown = text === null ? [] : JSON.parse(text);
  return Array.isArray(value) ? value : [];
}

/**
 * Judges the rows of one bot by the rules that need them. Silence is measured by a steady clock, which stands still while the machine
 * sleeps: time asleep counts as nothing, and so does the time between two hosts.
 */
export class RowWatch {
  readonly #bot: WatchedBot;
  readonly #rules: readonly ActiveRule[];
  /** Streaks of each rule, by symbol. */
  readonly #streaks = new Map<string, Map<string, Streak>>();
  /** Steady time of the newest row that ends a rule's silence. */
  readonly #heard = new Map<string, number>();
  /** Rules whose silence may be open: an earlier host may have told of it. */
  readonly #maybeSilent = new Set<string>();

  /** `state`: what an earlier watch of this bot came to, from `state()`. */
  constructor(bot: WatchedBot, rules: readonly ActiveRule[], steady: number, state: string | null = null) {
    this.#bot = bot;
    this.#rules = rules;
    const states = new Map(statesIn(state).map((one) => [one.ruleId, one]));
    for (const { ruleId, rule } of rules) {
      const before = states.get(ruleId);
      const isSame = before !== undefined && before.rule === JSON.stringify(rule);
      const most = Math.max(0, (rule.for_sec ?? 0) * 1000 - GRACE_MS);
      this.#heard.set(ruleId, steady - (isSame ? Math.min(before.quietMs, most) : 0));
      this.#streaks.set(ruleId, new Map(isSame ? before.streaks.map(([symbol, one]) => [symbol, { ...one }]) : []));
      this.#maybeSilent.add(ruleId);
    }
  }

  /** What the rows have come to, as a text for the next watch. */
  state(steady: number): string {
    const states: RuleState[] = this.#rules.map(({ ruleId, rule }) => ({
      ruleId,
      rule: JSON.stringify(rule),
      quietMs: rule.on.includes('silent') ? this.#quietFor(ruleId, rule, steady) : 0,
      streaks: [...(this.#streaks.get(ruleId) ?? [])],
    }));
    return JSON.stringify(states);
  }

  /** For how long a rule has heard nothing, up to the time at which it tells. */
  #quietFor(ruleId: string, { for_sec }: WholeRule, steady: number): number {
    return Math.min((for_sec ?? 0) * 1000, Math.round(steady - (this.#heard.get(ruleId) ?? steady)));
  }

  get userId(): string {
    return this.#bot.userId;
  }

  /** Rows as they were stored, in order. `steady`: the steady clock, in ms. */
  rows(lines: number, metrics: readonly MetricEvent[], steady: number, at: number): RowConsequence[] {
    const found: RowConsequence[] = [];
    for (const { ruleId, rule } of this.#rules) {
      if (rule.on.includes('silent')) {
        const heard =
          rule.metric === null ? lines + metrics.length > 0 : metrics.some(({ type }) => type === rule.metric);
        if (heard) {
          this.#heard.set(ruleId, steady);
          if (this.#maybeSilent.delete(ruleId)) found.push({ recover: this.#heardAgain(ruleId, metrics, at) });
        }
      }
      for (const metric of metrics) found.push(...this.#ofMetric(ruleId, rule, metric));
    }
    return found;
  }

  /** Rules whose silence has lasted long enough. `runs`: the bot is expected to print; else the time counts as nothing. */
  silences(runs: boolean, steady: number, at: number): RowConsequence[] {
    const found: RowConsequence[] = [];
    for (const { ruleId, rule } of this.#rules) {
      if (!rule.on.includes('silent') || rule.for_sec === null) continue;
      if (!runs || (rule.within !== null && !isWithin(rule.within, at))) this.#heard.set(ruleId, steady);
      const quiet = steady - (this.#heard.get(ruleId) ?? steady);
      if (quiet < rule.for_sec * 1000) continue;
      this.#maybeSilent.add(ruleId);
      const what = rule.metric === null ? 'nothing' : `no metric "${oneLine(rule.metric, 60)}"`;
      found.push({
        raise: {
          ...this.#fact(ruleId, at),
          event: 'silent',
          source: `silent:${ruleId}:${this.#bot.botId}:${at}`,
          title: `${nameWords(this.#bot.name)} is silent`,
          text: `It runs, and has sent ${what} for ${formatDuration(rule.for_sec * 1000)}. Time asleep is not counted.`,
          incident: silenceOf(ruleId, this.#bot.botId),
        },
      });
    }
    return found;
  }

  #fact(ruleId: string, at: number) {
    const { botId, userId } = this.#bot;
    return { botId, userId, at, ruleId };
  }

  #heardAgain(ruleId: string, metrics: readonly MetricEvent[], at: number): Recovery {
    const { botId, userId, name } = this.#bot;
    return {
      ...{ botId, userId, at },
      source: `heard:${ruleId}:${botId}:${metrics[0]?.seq ?? 'line'}:${at}`,
      incidents: [silenceOf(ruleId, botId)],
      title: `${nameWords(name)} is heard again`,
      text: 'It sends again.',
    };
  }

  #ofMetric(ruleId: string, rule: WholeRule, metric: MetricEvent): RowConsequence[] {
    const found: RowConsequence[] = [];
    const fact = {
      ...this.#fact(ruleId, Date.parse(metric.ts)),
      source: `row:${ruleId}:${this.#bot.botId}:${metric.seq}`,
    };
    const name = nameWords(this.#bot.name);
    if (rule.on.includes('metric') && metric.type === rule.metric) {
      const told = this.#crossed(ruleId, rule, metric);
      if (told !== null)
        found.push({
          raise: { ...fact, event: 'metric', title: `${name}: ${told}`, text: 'A rule of yours watches this metric.' },
        });
    }
    if (rule.on.includes('signal') && metric.type === 'signal') {
      const words = ['type', 'symbol', 'price'].flatMap((field) => textOf(metric.data, field) ?? []);
      found.push({
        raise: {
          ...fact,
          event: 'signal',
          title: `${name} gives a signal`,
          text: oneLine(words.join(' '), BOT_TEXT_CHARS),
        },
      });
    }
    if (rule.on.includes('fill') && (metric.type === 'fill' || metric.type === 'trade')) {
      const words = ['side', 'quantity', 'symbol', 'price'].flatMap((field) => textOf(metric.data, field) ?? []);
      found.push({
        raise: {
          ...fact,
          event: 'fill',
          title: `An order of ${name} is filled`,
          text: oneLine(words.join(' '), BOT_TEXT_CHARS),
        },
      });
    }
    return found;
  }

  /** Words for a line that was crossed just now; null while nothing changes. */
  #crossed(ruleId: string, rule: WholeRule, { data }: MetricEvent): string | null {
    const field = rule.field ?? FIELD;
    const value = Number(typeof data[field] === 'string' || typeof data[field] === 'number' ? data[field] : Number.NaN);
    if (!Number.isFinite(value)) return null;
    const symbol = textOf(data, 'symbol');
    const key = symbol ?? '';
    const streaks = this.#streaks.get(ruleId) ?? new Map<string, Streak>();
    const streak = streaks.get(key) ?? { count: 0, told: false };
    if (!isBeyond(rule, value)) {
      streaks.delete(key);
      return null;
    }
    // A bot could invent symbols without end.
    if (streaks.size >= MOST_STREAKS && !streaks.has(key)) return null;
    streak.count += 1;
    streaks.set(key, streak);
    if (streak.told || streak.count < (rule.samples ?? 1)) return null;
    streak.told = true;
    const line = rule.above !== null && value > rule.above ? `above ${rule.above}` : `below ${rule.below}`;
    return `${oneLine(rule.metric ?? '', 60)}${symbol === null ? '' : ` of ${symbol}`} is ${value}, ${line}`;
  }
}
