import { CHANNEL_NAMES } from '../../../contract/alarm-choices.ts';
import type {
  Alarm,
  AlarmChannel,
  AlarmLog,
  AlarmMute,
  AlarmRule,
  ChannelTest,
  NewRule,
} from '../../../contract/alarms.ts';
import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { ruleSentence } from '../../../shared/alarm-rule-sentence.ts';
import { isJsonObject } from '../../../shared/json.ts';
import type { AlarmRow, AlarmStore, ChannelRow } from '../control/alarm-store.ts';
import { channelRecord } from '../vault/seal-stored.ts';
import type { SecretBox } from '../vault/secret-box.ts';
import type { Settings } from './channels/channel.ts';
import { checkSettings, targetOf } from './channels/settings.ts';
import { wholeRule } from './default-rules.ts';
import { Delivery } from './delivery.ts';
import { DesktopApps } from './desktop-apps.ts';
import { messageOf } from './message.ts';
import { Outbox } from './outbox.ts';

const MOST_CHANNELS = 20;
const MOST_RULES = 100;
const LOG_DEFAULT = 50;

export interface AlarmsDeps {
  readonly store: AlarmStore;
  readonly box: SecretBox;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly startedAt: number;
  readonly secretsOf: (botId: string) => readonly string[];
  readonly nameOf: (botId: string) => string | null;
  readonly onError: (where: string, error: unknown) => void;
}

/** Alarms of all users: their channels, rules and log. Errors are PlatformError. */
export class Alarms {
  readonly #deps: AlarmsDeps;
  readonly outbox: Outbox;
  readonly delivery: Delivery;
  readonly desktop: DesktopApps;

  constructor(deps: AlarmsDeps) {
    this.#deps = deps;
    const { store, newId, now } = deps;
    this.outbox = new Outbox({ store, newId, now, secretsOf: deps.secretsOf, added: () => this.delivery.sendSoon() });
    this.desktop = new DesktopApps((userId) => {
      try {
        for (const { channel_id, kind } of store.channelsOf(userId)) if (kind === 'desktop') store.tryNow(channel_id);
      } catch (error) {
        // On a full disk what waits is sent when its time comes.
        deps.onError('alarms for the desktop', error);
      }
      this.delivery.sendSoon();
    });
    this.delivery = new Delivery({
      store,
      desktop: this.desktop,
      newId,
      now,
      startedAt: deps.startedAt,
      open: (channel) => this.#open(channel),
      disabled: ({ user_id, name, kind }, problem) =>
        this.outbox.tellAll(
          user_id,
          'channel_disabled',
          `The alarm channel ${name} does not work any more`,
          `${CHANNEL_NAMES[kind]}: ${problem}. Nothing more is sent over it. Enter a new credential, then send a test message.`,
        ),
      onError: deps.onError,
    });
  }

  /** Begins to send what waits. */
  start(): void {
    this.delivery.sendSoon();
  }

  close(): Promise<void> {
    return this.delivery.close();
  }

  channels(userId: string): AlarmChannel[] {
    return this.#deps.store.channelsOf(userId).map((row) => this.#shown(row));
  }

  /** Throws INVALID_REQUEST for faulty settings. */
  addChannel(userId: string, input: { name: string; kind: ChannelRow['kind']; settings: Settings }): AlarmChannel {
    const { store, box, newId, now } = this.#deps;
    const settings = checkSettings(input.kind, input.settings);
    const channel_id = newId('chn');
    return store.transaction(() => {
      const others = store.channelsOf(userId);
      if (others.length >= MOST_CHANNELS) {
        throw new PlatformError('INVALID_REQUEST', `There are ${MOST_CHANNELS} channels already`, {
          hint: 'Remove one that you do not need.',
        });
      }
      this.#checkName(others, input.name);
      store.addChannel({
        channel_id,
        user_id: userId,
        name: input.name,
        kind: input.kind,
        target: targetOf(input.kind, settings),
        sealed: box.seal(channelRecord(channel_id), JSON.stringify(settings)),
        state: 'unverified',
        created_at: now(),
      });
      this.outbox.rulesOf(userId);
      return this.#shown(this.#channel(userId, channel_id));
    });
  }

  /** Throws CHANNEL_NOT_FOUND, CHANNEL_BUSY for new settings, or INVALID_REQUEST for faulty ones. */
  changeChannel(
    userId: string,
    input: { channel_id: string; name?: string | undefined; settings?: Settings | undefined },
  ): AlarmChannel {
    const { store, box } = this.#deps;
    return store.transaction(() => {
      const row = this.#channel(userId, input.channel_id);
      const name = input.name ?? row.name;
      this.#checkName(
        store.channelsOf(userId).filter(({ channel_id }) => channel_id !== row.channel_id),
        name,
      );
      if (input.settings === undefined) store.renameChannel(row.channel_id, name);
      else {
        this.#checkTold(row);
        const settings = checkSettings(row.kind, { ...this.#open(row), ...input.settings });
        const sealed = box.seal(channelRecord(row.channel_id), JSON.stringify(settings));
        store.setChannel(row.channel_id, { name, sealed, target: targetOf(row.kind, settings), state: 'unverified' });
      }
      return this.#shown(this.#channel(userId, row.channel_id));
    });
  }

  /** Throws CHANNEL_NOT_FOUND or CHANNEL_BUSY. */
  removeChannel(userId: string, channelId: string): void {
    const { store } = this.#deps;
    store.transaction(() => {
      const row = this.#channel(userId, channelId);
      this.#checkTold(row);
      store.removeChannel(row.channel_id);
    });
  }

  /** Sends a test message; a channel that takes it may be used by rules from then on. */
  async testChannel(userId: string, channelId: string): Promise<ChannelTest> {
    const { store, newId, now, startedAt } = this.#deps;
    const channel = this.#channel(userId, channelId);
    const at = now();
    const alarm_id = newId('alm');
    const title = 'This is a test of your alarms';
    const text = `It came over the channel ${channel.name}. Nothing has happened.`;
    const severity = 'info' as const;
    const row = { alarm_id, user_id: userId, bot_id: null, at, event: 'test', severity, title, text, note: null };
    const item = {
      ...row,
      seq: 0,
      channel_id: channelId,
      state: 'waiting',
      not_before: at,
      after_alarm: null,
    } as const;
    const full = { ...item, message: alarm_id, sent_at: null, problem: null, delayed: null };
    const message = messageOf(alarm_id, [full], { now: at, wasDown: false, hostStartedAt: startedAt });
    const outcome = await this.delivery.sendNow(channel, message);
    const sent = outcome.is === 'sent';
    const problem = outcome.is === 'sent' ? null : outcome.problem;
    return store.transaction(() => {
      // A channel whose settings were changed meanwhile has not been tested.
      const isSame = store.channel(channelId)?.sealed === channel.sealed;
      if (isSame) {
        if (sent) store.channelWorked(channelId, now());
        else if (outcome.is === 'revoked') store.disableChannel(channelId, outcome.problem);
        else store.channelProblem(channelId, problem ?? '');
        store.addAlarm({ ...row, source: alarm_id });
        const told = { alarm_id, channel_id: channelId, not_before: at, message: alarm_id, sent_at: now(), problem };
        store.addDelivery({ ...told, state: sent ? 'sent' : 'failed' });
      }
      this.delivery.sendSoon();
      return { sent, problem, channel: this.#shown(this.#channel(userId, channelId)) };
    });
  }

  rules(userId: string): AlarmRule[] {
    const channels = new Map(this.#deps.store.channelsOf(userId).map(({ channel_id, name }) => [channel_id, name]));
    const names = { bot: this.#deps.nameOf, channel: (id: string) => channels.get(id) ?? null };
    return this.outbox
      .rulesOf(userId)
      .map(({ ruleId, rule }) => ({ ...rule, rule_id: ruleId, sentence: ruleSentence(rule, names) }));
  }

  /** Throws INVALID_REQUEST or CHANNEL_NOT_FOUND; the caller has checked the bots. */
  addRule(userId: string, rule: NewRule): AlarmRule {
    const { store, newId } = this.#deps;
    this.#checkRule(userId, rule);
    const ruleId = newId('rul');
    store.transaction(() => {
      if (this.outbox.rulesOf(userId).length >= MOST_RULES) {
        throw new PlatformError('INVALID_REQUEST', `There are ${MOST_RULES} rules already`, {
          hint: 'Remove one that you do not need.',
        });
      }
      this.outbox.putRule(userId, ruleId, rule);
    });
    return this.#changedRule(userId, ruleId);
  }

  /** Throws RULE_NOT_FOUND, INVALID_REQUEST or CHANNEL_NOT_FOUND. */
  changeRule(
    userId: string,
    ruleId: string,
    change: { readonly [K in keyof NewRule]?: NewRule[K] | undefined },
  ): AlarmRule {
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const rule = wholeRule({ ...this.#rule(userId, ruleId), ...given });
    this.#checkRule(userId, rule);
    this.outbox.putRule(userId, ruleId, rule);
    return this.#changedRule(userId, ruleId);
  }

  removeRule(userId: string, ruleId: string): void {
    this.#rule(userId, ruleId);
    this.outbox.removeRule(userId, ruleId);
  }

  log(
    userId: string,
    query: { limit?: number | undefined; before?: number | undefined; botId: string | null },
  ): AlarmLog {
    const { store } = this.#deps;
    const rows = store.alarms(userId, {
      bot: query.botId,
      before: query.before ?? null,
      limit: query.limit ?? LOG_DEFAULT,
    });
    return { items: rows.map((row) => this.#logged(row)), unseen: store.unseen(userId, store.seen(userId)) };
  }

  seen(userId: string, seq: number): void {
    this.outbox.rulesOf(userId);
    this.#deps.store.setSeen(userId, seq);
  }

  mutes(userId: string): AlarmMute[] {
    const { store, now } = this.#deps;
    return store
      .mutesOf(userId, now())
      .map(({ bot_id, until }) => ({ bot_id: bot_id === '' ? null : bot_id, until: toTimestamp(until) }));
  }

  mute(userId: string, botId: string | null, minutes: number): AlarmMute[] {
    const { store, now } = this.#deps;
    if (minutes === 0) store.removeMute(userId, botId ?? '');
    else store.setMute(userId, botId ?? '', now() + minutes * 60_000);
    return this.mutes(userId);
  }

  #changedRule(userId: string, ruleId: string): AlarmRule {
    const found = this.rules(userId).find(({ rule_id }) => rule_id === ruleId);
    if (found === undefined) throw new PlatformError('RULE_NOT_FOUND');
    return found;
  }

  #rule(userId: string, ruleId: string): NewRule {
    const found = this.outbox.rulesOf(userId).find((one) => one.ruleId === ruleId);
    if (found === undefined) throw new PlatformError('RULE_NOT_FOUND');
    return found.rule;
  }

  #checkRule(userId: string, rule: NewRule): void {
    const problems: { path: string; message: string }[] = [];
    const needs = (path: string, isThere: boolean, message: string): void => {
      if (!isThere) problems.push({ path, message });
    };
    if (rule.on.includes('silent')) needs('for_sec', rule.for_sec != null, 'says for how long a bot must be silent');
    if (rule.on.includes('metric')) {
      needs('metric', rule.metric != null, 'names the type of the metric');
      needs('above', rule.above != null || rule.below != null, 'or below names the line that the metric crosses');
    }
    if (rule.on.includes('metric') && rule.on.includes('silent'))
      needs('on', false, 'cannot hold silent and metric together: make two rules');
    if (problems.length > 0) throw invalid('INVALID_REQUEST', problems);
    for (const id of rule.channels ?? []) this.#channel(userId, id);
  }

  #checkName(others: readonly ChannelRow[], name: string): void {
    if (!others.some((other) => other.name === name)) return;
    throw invalid('INVALID_REQUEST', [{ path: 'name', message: 'is the name of another channel' }]);
  }

  /**
   * Throws CHANNEL_BUSY while a message about a PIN waits on a channel that works: whoever has changed the PIN must not keep its user
   * from being told. Over any other channel nothing is sent, and it stays free to be repaired.
   */
  #checkTold({ channel_id, state, problem }: ChannelRow): void {
    if (state !== 'ok' || !this.#deps.store.waitsOfPin(channel_id)) return;
    const why = problem === null ? '' : ` The channel says: ${problem}.`;
    throw new PlatformError('CHANNEL_BUSY', undefined, {
      hint: `It can be changed or removed once that was sent, or given up after 24 hours; \`platform alarms log\` shows it.${why}`,
    });
  }

  #channel(userId: string, channelId: string): ChannelRow {
    const row = this.#deps.store.channel(channelId);
    if (row === null || row.user_id !== userId) throw new PlatformError('CHANNEL_NOT_FOUND');
    return row;
  }

  #open(row: ChannelRow): Settings | undefined {
    const text = this.#deps.box.open(channelRecord(row.channel_id), row.sealed);
    if (text === undefined) return undefined;
    const settings: unknown = JSON.parse(text);
    return isJsonObject(settings)
      ? Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]))
      : undefined;
  }

  #shown(row: ChannelRow): AlarmChannel {
    const { channel_id, name, kind, target, state, problem } = row;
    return {
      ...{ channel_id, name, kind, target, state, problem },
      waiting: this.#deps.store.countWaiting(channel_id),
      retry_at: toTimestampOrNull(row.retry_at),
      last_sent_at: toTimestampOrNull(row.last_sent_at),
      created_at: toTimestamp(row.created_at),
    };
  }

  #logged({ alarm_id, seq, at, event, severity, bot_id, title, text, note }: AlarmRow): Alarm {
    return {
      ...{ alarm_id, seq, event, severity, bot_id, title, text, note },
      at: toTimestamp(at),
      deliveries: this.#deps.store.deliveriesOf(alarm_id).map(({ channel_id, name, state, sent_at, problem }) => ({
        ...{ channel_id, state, problem },
        channel: name,
        at: toTimestampOrNull(sent_at),
      })),
    };
  }
}
