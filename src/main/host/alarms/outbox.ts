import type { Severity } from '../../../contract/alarm-choices.ts';
import { SEVERITIES } from '../../../contract/alarm-choices.ts';
import type { NewRule } from '../../../contract/alarms.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { formatDuration } from '../../../shared/format-quantity.ts';
import type { AlarmRow, AlarmStore, RuleRow } from '../control/alarm-store.ts';
import { maskerOf } from '../logs/mask/masker.ts';
import type { AlarmFact, ImpliedEvent, Recovery } from './alarm-fact.ts';
import { DEFAULT_RULES, type WholeRule, wholeRule } from './default-rules.ts';
import { endOf } from './hours.ts';
import { BOT_TEXT_CHARS, oneLine } from './words.ts';

/** A rule that holds now, complete. */
export interface ActiveRule {
  readonly ruleId: string;
  readonly rule: WholeRule;
}

interface OutboxDeps {
  readonly store: AlarmStore;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Secret values of a bot, for masking. */
  readonly secretsOf: (botId: string) => readonly string[];
  /** Called after messages were added; they may not be committed yet. */
  readonly added: () => void;
}

const highest = (all: readonly Severity[]): Severity =>
  SEVERITIES[Math.max(0, ...all.map((one) => SEVERITIES.indexOf(one)))] ?? 'info';

function applies({ rule }: ActiveRule, fact: AlarmFact): boolean {
  if (!rule.enabled || !rule.on.includes(fact.event)) return false;
  if (rule.bots !== null && (fact.botId === null || !rule.bots.includes(fact.botId))) return false;
  if (fact.event === 'run_too_slow' && fact.tookMs !== undefined)
    return rule.for_sec !== null && fact.tookMs > rule.for_sec * 1000;
  return true;
}

/**
 * Turns facts into alarms and messages that wait to be sent. Every function stores within the transaction that is open, so that an
 * event and its messages are stored together or not at all.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #rules = new Map<string, readonly ActiveRule[]>();

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** The rules of a user, who begins with the default ones. */
  rulesOf(userId: string): readonly ActiveRule[] {
    const known = this.#rules.get(userId);
    if (known !== undefined) return known;
    const { store } = this.#deps;
    const [rows, isChanged] = store.transaction((): readonly [readonly RuleRow[], boolean] => {
      const stored = store.rulesOf(userId);
      const isNew = this.#renewDefaults(userId, stored);
      return [isNew ? store.rulesOf(userId) : stored, isNew];
    });
    const rules = rows.map(({ ruleId, rule }) => ({ ruleId, rule: wholeRule(rule) }));
    // Rules that were just stored may be undone with the transaction that is open.
    if (!isChanged) this.#rules.set(userId, rules);
    return rules;
  }

  /** Gives a user the default rules of this release. Returns false if nothing had to change. */
  #renewDefaults(userId: string, rows: readonly RuleRow[]): boolean {
    const { store, newId, now } = this.#deps;
    const had = store.defaultsOf(userId);
    let isChanged = false;
    for (const [defaultId, rule] of Object.entries(DEFAULT_RULES)) {
      const own = rows.find((row) => row.defaultId === defaultId);
      // The person has changed or removed it.
      if (own === undefined && had.includes(defaultId)) continue;
      if (own !== undefined && JSON.stringify(own.rule) === JSON.stringify(rule)) continue;
      store.putRule({ ruleId: own?.ruleId ?? newId('rul'), userId, rule, defaultId }, now());
      isChanged = true;
    }
    if (isChanged) store.setDefaults(userId, [...new Set([...had, ...Object.keys(DEFAULT_RULES)])]);
    return isChanged;
  }

  /** Stores a rule. */
  putRule(userId: string, ruleId: string, rule: NewRule): void {
    this.#deps.store.putRule({ ruleId, userId, rule, defaultId: null }, this.#deps.now());
    this.#rules.delete(userId);
  }

  removeRule(userId: string, ruleId: string): void {
    this.#deps.store.removeRule(ruleId);
    this.#rules.delete(userId);
  }

  /** Forgets what is cached of a user, after a transaction with its rules was undone. */
  forget(userId: string): void {
    this.#rules.delete(userId);
  }

  /** Raises an alarm where a rule asks for it. */
  raise(fact: AlarmFact): void {
    const { store } = this.#deps;
    const rules = this.rulesOf(fact.userId).filter(
      (one) => (fact.ruleId === undefined || one.ruleId === fact.ruleId) && applies(one, fact),
    );
    if (rules.length === 0) return;
    if (fact.incident !== undefined && store.incident(fact.userId, fact.incident) !== null) return;
    const subject = `${fact.botId ?? ''}:${fact.event}`;
    const told = rules.filter(({ ruleId, rule }) => {
      const last = rule.at_most_every_sec === null ? null : store.toldAt(ruleId, subject);
      const age = last === null ? 0 : fact.at - last;
      return last === null || age < 0 || age >= (rule.at_most_every_sec ?? 0) * 1000;
    });
    const channels = this.#channels(fact, told);
    const note = this.#note(fact, told, channels.size);
    const alarm = this.#alarm(fact, rules, note);
    if (!store.addAlarm(alarm)) return;
    if (fact.incident !== undefined) store.openIncident(fact.userId, fact.incident, alarm.alarm_id, fact.at);
    if (note !== null) return;
    for (const { ruleId, rule } of told) if (rule.at_most_every_sec !== null) store.setTold(ruleId, subject, fact.at);
    for (const [channel_id, notBefore] of channels) {
      store.addDelivery({
        alarm_id: alarm.alarm_id,
        channel_id,
        not_before: notBefore,
        delayed: notBefore > fact.at ? 'your quiet hours are over now' : null,
      });
    }
    this.#deps.added();
  }

  /** Ends incidents, and tells the channels that were told of their beginning. */
  recover({ userId, incidents, source, botId, at, title, text, severity = 'info' }: Recovery): void {
    const { store, newId } = this.#deps;
    const open = incidents.flatMap((name) => {
      const found = store.incident(userId, name);
      if (found !== null) store.closeIncident(userId, name);
      return found === null ? [] : [found.alarm_id];
    });
    if (open.length === 0) return;
    const told = new Map<string, string>();
    for (const alarmId of open) {
      for (const { channel_id, state } of store.deliveriesOf(alarmId)) {
        if (!told.has(channel_id) && (state === 'sent' || state === 'waiting')) told.set(channel_id, alarmId);
      }
    }
    const alarm_id = newId('alm');
    const note = told.size === 0 ? 'No channel was told that it began.' : null;
    const row = {
      alarm_id,
      user_id: userId,
      bot_id: botId,
      at,
      event: 'recovered',
      severity,
      title,
      text,
      note,
      source,
    };
    if (!store.addAlarm({ ...row, title: this.#masked(botId, title) })) return;
    for (const [channel_id, after_alarm] of told) {
      store.addDelivery({ alarm_id, channel_id, not_before: at, after_alarm });
    }
    if (told.size > 0) this.#deps.added();
  }

  /** Ends incidents without a word: the bot is stopped, changed or gone. */
  close(userId: string, incidents: readonly string[]): void {
    for (const name of incidents) this.#deps.store.closeIncident(userId, name);
  }

  /** Tells all channels that work, whatever the rules say, of a matter of alarms itself. */
  tellAll(userId: string, event: ImpliedEvent, title: string, text: string): void {
    const { store, newId, now } = this.#deps;
    const at = now();
    const alarm_id = newId('alm');
    const working = store.channelsOf(userId).filter(({ state }) => state === 'ok');
    const note = working.length === 0 ? 'There is no other channel that works.' : null;
    const row = { alarm_id, user_id: userId, bot_id: null, at, event, title, text, note, source: alarm_id };
    store.addAlarm({ ...row, severity: 'warning' });
    for (const { channel_id } of working) store.addDelivery({ alarm_id, channel_id, not_before: at });
    if (working.length > 0) this.#deps.added();
  }

  /** Channels that the rules name and that work, with the time before which each stays quiet. */
  #channels(fact: AlarmFact, rules: readonly ActiveRule[]): Map<string, number> {
    const working = this.#deps.store.channelsOf(fact.userId).filter(({ state }) => state === 'ok');
    const found = new Map<string, number>();
    for (const { rule } of rules) {
      const isQuiet = rule.quiet !== null && rule.severity !== 'critical';
      const notBefore = isQuiet && rule.quiet !== null ? endOf(rule.quiet, fact.at) : fact.at;
      for (const { channel_id } of working) {
        if (rule.channels !== null && !rule.channels.includes(channel_id)) continue;
        found.set(channel_id, Math.min(found.get(channel_id) ?? Number.POSITIVE_INFINITY, notBefore));
      }
    }
    return found;
  }

  /** Why no channel is told; null where one is. */
  #note({ userId, botId, at }: AlarmFact, told: readonly ActiveRule[], channels: number): string | null {
    if (told.length === 0) return 'It was told a short time ago, and the rule says how often at most.';
    const mute = this.#deps.store.mutesOf(userId, at).find(({ bot_id }) => bot_id === '' || bot_id === botId);
    if (mute !== undefined) return `Muted until ${toTimestamp(mute.until)}.`;
    return channels === 0 ? 'There was no channel that works.' : null;
  }

  #alarm(fact: AlarmFact, rules: readonly ActiveRule[], note: string | null): Omit<AlarmRow, 'seq'> {
    const quoted = fact.botText ?? null;
    // A channel must not get the words of a bot because of a rule that tells another one.
    const isQuoted = quoted !== null && quoted !== '' && rules.every(({ rule }) => rule.with_text);
    const words = isQuoted ? `\nIt said: ${oneLine(this.#masked(fact.botId, quoted), BOT_TEXT_CHARS)}` : '';
    const took = fact.tookMs === undefined ? '' : ` It has taken ${formatDuration(fact.tookMs)}.`;
    return {
      alarm_id: this.#deps.newId('alm'),
      user_id: fact.userId,
      bot_id: fact.botId,
      at: fact.at,
      event: fact.event,
      severity: highest(rules.map(({ rule }) => rule.severity)),
      title: this.#masked(fact.botId, fact.title),
      text: `${this.#masked(fact.botId, fact.text + took)}${words}`,
      note,
      source: fact.source,
    };
  }

  #masked(botId: string | null, text: string): string {
    return maskerOf(botId === null ? NO_SECRETS : this.#deps.secretsOf(botId)).maskText(text);
  }
}

const NO_SECRETS: readonly string[] = [];
