import { type ChannelKind, PIN_EVENTS, type Severity } from '../../../contract/alarm-choices.ts';
import type { ChannelState, NewRule } from '../../../contract/alarms.ts';
import type { ControlDatabase } from './control-database.ts';

/** A channel as stored. Times are milliseconds since the epoch. */
export interface ChannelRow {
  readonly channel_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly kind: ChannelKind;
  readonly target: string;
  /** Settings as sealed JSON. */
  readonly sealed: string;
  readonly state: ChannelState;
  readonly problem: string | null;
  /** Failed attempts in a row. */
  readonly attempts: number;
  readonly retry_at: number | null;
  readonly failing_since: number | null;
  readonly last_sent_at: number | null;
  readonly created_at: number;
}

export interface RuleRow {
  readonly ruleId: string;
  readonly userId: string;
  readonly rule: NewRule;
  /** The default rule that it is, for as long as no person has changed it. */
  readonly defaultId: string | null;
}

/** An alarm as stored; `source` names the event that raised it, once for each user. */
export interface AlarmRow {
  readonly seq: number;
  readonly alarm_id: string;
  readonly user_id: string;
  readonly bot_id: string | null;
  readonly at: number;
  readonly event: string;
  readonly severity: Severity;
  readonly title: string;
  readonly text: string;
  readonly note: string | null;
  readonly source: string;
}

export interface DeliveryRow {
  readonly alarm_id: string;
  readonly channel_id: string;
  readonly state: 'waiting' | 'sent' | 'failed' | 'dropped';
  readonly not_before: number;
  /** It is sent only once this alarm was sent over the same channel. */
  readonly after_alarm: string | null;
  /** Id under which it is sent, also again; null until it is sent for the first time. */
  readonly message: string | null;
  readonly sent_at: number | null;
  readonly problem: string | null;
  /** Why it was made to wait. */
  readonly delayed: string | null;
}

/** A delivery that waits, with its alarm. */
export type WaitingRow = DeliveryRow & Omit<AlarmRow, 'note' | 'source'>;
export type NamedDelivery = DeliveryRow & { readonly name: string };

/** How far the rows of a bot were judged, and what they came to, as JSON. */
export interface CursorRow {
  readonly seq: number;
  readonly state: string | null;
}

/** What a host leaves for the next one, which concludes from it what happened in between. */
export type AlarmMark = 'running' | 'clocks' | 'backup';

export interface WatchRow {
  readonly sealed: string;
  readonly target: string;
  readonly every_ms: number;
  readonly all_bots: number;
  readonly last_at: number | null;
  readonly problem: string | null;
}

const WAITING = `select d.*, a.seq, a.user_id, a.bot_id, a.at, a.event, a.severity, a.title, a.text
  from alarm_delivery d join alarm a using (alarm_id)`;
const OF_PIN = `a.event in (${PIN_EVENTS.map((event) => `'${event}'`).join(', ')})`;
/** Alarms that are kept of each user. */
const KEPT = 5000;
/** They are counted after so many of the host. */
const PRUNE_EVERY = 100;

function channelStatements(db: ControlDatabase) {
  return {
    get: db.prepare<[string], ChannelRow>('select * from alarm_channel where channel_id = ?'),
    of: db.prepare<[string], ChannelRow>(
      'select * from alarm_channel where user_id = ? order by created_at, channel_id',
    ),
    busy: db.prepare<[], { channel_id: string }>(
      "select distinct channel_id from alarm_delivery join alarm_channel using (channel_id) where alarm_delivery.state = 'waiting' and alarm_channel.state = 'ok'",
    ),
    add: db.prepare(
      `insert into alarm_channel (channel_id, user_id, name, kind, target, sealed, state, created_at)
       values (@channel_id, @user_id, @name, @kind, @target, @sealed, @state, @created_at)`,
    ),
    set: db.prepare(
      'update alarm_channel set name = ?, target = ?, sealed = ?, state = ?, problem = null, attempts = 0, retry_at = null, failing_since = null where channel_id = ?',
    ),
    rename: db.prepare('update alarm_channel set name = ? where channel_id = ?'),
    worked: db.prepare(
      "update alarm_channel set state = 'ok', problem = null, attempts = 0, retry_at = null, failing_since = null, last_sent_at = ? where channel_id = ?",
    ),
    failed: db.prepare(
      'update alarm_channel set problem = @problem, attempts = attempts + 1, retry_at = @retryAt, failing_since = coalesce(failing_since, @now) where channel_id = @id',
    ),
    tryNow: db.prepare('update alarm_channel set retry_at = null where channel_id = ? and retry_at is not null'),
    problem: db.prepare('update alarm_channel set problem = ? where channel_id = ?'),
    disable: db.prepare(
      "update alarm_channel set state = 'disabled', problem = ?, retry_at = null where channel_id = ?",
    ),
    remove: db.prepare('delete from alarm_channel where channel_id = ?'),
  };
}

function deliveryStatements(db: ControlDatabase) {
  return {
    add: db.prepare(
      `insert into alarm_delivery (alarm_id, channel_id, state, not_before, after_alarm, message, sent_at, problem, delayed)
       values (@alarm_id, @channel_id, @state, @not_before, @after_alarm, @message, @sent_at, @problem, @delayed)`,
    ),
    waiting: db.prepare<[string, number], WaitingRow>(
      `${WAITING} where d.channel_id = ? and d.state = 'waiting' order by ${OF_PIN} desc, a.seq limit ?`,
    ),
    count: db.prepare<[string], { n: number }>(
      "select count(*) as n from alarm_delivery where channel_id = ? and state = 'waiting'",
    ),
    ofPin: db.prepare<[string], unknown>(
      `select 1 from alarm_delivery d join alarm a using (alarm_id) where d.channel_id = ? and d.state = 'waiting' and ${OF_PIN} limit 1`,
    ),
    one: db.prepare<[string, string], DeliveryRow>(
      'select * from alarm_delivery where alarm_id = ? and channel_id = ?',
    ),
    of: db.prepare<[string], NamedDelivery>(
      'select d.*, c.name from alarm_delivery d join alarm_channel c using (channel_id) where alarm_id = ? order by c.created_at, c.channel_id',
    ),
    claim: db.prepare('update alarm_delivery set message = ? where alarm_id = ? and channel_id = ?'),
    end: db.prepare(
      'update alarm_delivery set state = ?, sent_at = ?, problem = ? where alarm_id = ? and channel_id = ?',
    ),
    endAll: db.prepare(
      "update alarm_delivery set state = ?, sent_at = ?, problem = ? where channel_id = ? and state = 'waiting'",
    ),
    recent: db.prepare<[string, number, number, number], { sent_at: number }>(
      `select max(d.sent_at) as sent_at from alarm_delivery d join alarm a using (alarm_id)
       where d.channel_id = ? and d.state = 'sent' and d.sent_at > ? and d.sent_at <= ? and ${OF_PIN} = ? group by d.message order by 1`,
    ),
  };
}

/** What a host keeps for the next one, and whom it calls. */
function hostStatements(db: ControlDatabase) {
  const cursor = {
    get: db.prepare<[string], CursorRow>('select seq, state from alarm_cursor where bot_id = ?'),
    set: db.prepare(
      `insert into alarm_cursor (bot_id, seq, state) select bot_id, @seq, @state from bot where bot_id = @bot
       on conflict do update set seq = excluded.seq, state = excluded.state`,
    ),
    remove: db.prepare('delete from alarm_cursor where bot_id = ?'),
  };
  const mark = {
    get: db.prepare<[string], { value: string }>('select value from alarm_mark where name = ?'),
    put: db.prepare(
      'insert into alarm_mark (name, value) values (?, ?) on conflict do update set value = excluded.value',
    ),
    remove: db.prepare('delete from alarm_mark where name = ?'),
  };
  const watch = {
    get: db.prepare<[], WatchRow>('select * from alarm_watch where id = 1'),
    put: db.prepare(
      `insert into alarm_watch (id, sealed, target, every_ms, all_bots) values (1, @sealed, @target, @every_ms, @all_bots)
       on conflict do update set sealed = excluded.sealed, target = excluded.target, every_ms = excluded.every_ms,
       all_bots = excluded.all_bots, last_at = null, problem = null`,
    ),
    called: db.prepare('update alarm_watch set last_at = coalesce(?, last_at), problem = ?'),
    remove: db.prepare('delete from alarm_watch'),
  };
  return { cursor, mark, watch };
}

/** Alarms in the control database: channels, rules, raised alarms and the outbox of their messages. */
export function createAlarmStore(db: ControlDatabase) {
  const channel = channelStatements(db);
  const delivery = deliveryStatements(db);
  const user = {
    add: db.prepare('insert into alarm_user (user_id) values (?) on conflict do nothing'),
    defaults: db.prepare<[string], { defaults: string }>('select defaults from alarm_user where user_id = ?'),
    setDefaults: db.prepare('update alarm_user set defaults = ? where user_id = ?'),
    seen: db.prepare<[string], { seen: number }>('select seen from alarm_user where user_id = ?'),
    setSeen: db.prepare(
      'insert into alarm_user (user_id, seen) values (?, ?) on conflict do update set seen = max(seen, excluded.seen)',
    ),
    owners: db.prepare<[], { user_id: string }>("select user_id from user where role = 'owner'"),
    role: db.prepare<[string], { role: string }>('select role from user where user_id = ?'),
  };
  const rule = {
    all: db.prepare<[string], { rule_id: string; rule: string; default_id: string | null }>(
      'select rule_id, rule, default_id from alarm_rule where user_id = ? order by created_at, rule_id',
    ),
    users: db.prepare<[], { user_id: string }>('select distinct user_id from alarm_rule'),
    put: db.prepare(
      `insert into alarm_rule (rule_id, user_id, rule, created_at, default_id) values (?, ?, ?, ?, ?)
       on conflict (rule_id) do update set rule = excluded.rule, default_id = excluded.default_id`,
    ),
    remove: db.prepare('delete from alarm_rule where rule_id = ?'),
    told: db.prepare<[string, string], { at: number }>('select at from alarm_told where rule_id = ? and subject = ?'),
    setTold: db.prepare(
      'insert into alarm_told (rule_id, subject, at) values (?, ?, ?) on conflict do update set at = excluded.at',
    ),
  };
  const alarm = {
    add: db.prepare(
      `insert into alarm (alarm_id, user_id, bot_id, at, event, severity, title, text, note, source)
       values (@alarm_id, @user_id, @bot_id, @at, @event, @severity, @title, @text, @note, @source) on conflict (user_id, source) do nothing`,
    ),
    list: db.prepare<[{ user: string; bot: string | null; before: number | null; limit: number }], AlarmRow>(
      `select * from alarm where user_id = @user and (@bot is null or bot_id = @bot) and (@before is null or seq < @before)
       order by seq desc limit @limit`,
    ),
    unseen: db.prepare<[string, number], { n: number }>(
      'select count(*) as n from alarm where user_id = ? and seq > ?',
    ),
    prune: db.prepare(
      `delete from alarm where user_id = ? and seq <= (select seq from alarm where user_id = ? order by seq desc limit 1 offset ${KEPT})
       and not exists (select 1 from alarm_delivery d where d.alarm_id = alarm.alarm_id and d.state = 'waiting')`,
    ),
  };
  const incident = {
    get: db.prepare<[string, string], { alarm_id: string; opened_at: number }>(
      'select alarm_id, opened_at from alarm_incident where user_id = ? and incident = ?',
    ),
    open: db.prepare(
      'insert into alarm_incident (user_id, incident, alarm_id, opened_at) values (?, ?, ?, ?) on conflict do nothing',
    ),
    close: db.prepare('delete from alarm_incident where user_id = ? and incident = ?'),
  };
  const mute = {
    of: db.prepare<[string, number], { bot_id: string; until: number }>(
      'select bot_id, until from alarm_mute where user_id = ? and until > ? order by bot_id',
    ),
    put: db.prepare(
      'insert into alarm_mute (user_id, bot_id, until) values (?, ?, ?) on conflict do update set until = excluded.until',
    ),
    remove: db.prepare('delete from alarm_mute where user_id = ? and bot_id = ?'),
  };
  const { cursor, mark, watch } = hostStatements(db);
  return {
    transaction: <T>(work: () => T): T => (db.inTransaction ? work() : db.transaction(work).immediate()),
    /** Undoes all of the work if a part of it fails, and nothing else of the transaction that is open. */
    savepoint: (work: () => void): void => db.transaction(work)(),
    /** The default rules that a user has had. */
    defaultsOf: (userId: string): string[] => JSON.parse(user.defaults.get(userId)?.defaults ?? '[]'),
    setDefaults(userId: string, ids: readonly string[]): void {
      user.add.run(userId);
      user.setDefaults.run(JSON.stringify(ids), userId);
    },
    isOwner: (userId: string): boolean => user.role.get(userId)?.role === 'owner',
    owners: (): string[] => user.owners.all().map(({ user_id }) => user_id),
    seen: (userId: string): number => user.seen.get(userId)?.seen ?? 0,
    setSeen: (userId: string, seq: number) => void user.setSeen.run(userId, seq),

    channel: (id: string): ChannelRow | null => channel.get.get(id) ?? null,
    channelsOf: (userId: string): ChannelRow[] => channel.of.all(userId),
    /** Channels that work and have messages waiting. */
    busyChannels: (): string[] => channel.busy.all().map(({ channel_id }) => channel_id),
    addChannel: (
      row: Pick<ChannelRow, 'channel_id' | 'user_id' | 'name' | 'kind' | 'target' | 'sealed' | 'state' | 'created_at'>,
    ) => void channel.add.run(row),
    setChannel: (id: string, row: Pick<ChannelRow, 'name' | 'target' | 'sealed' | 'state'>) =>
      void channel.set.run(row.name, row.target, row.sealed, row.state, id),
    renameChannel: (id: string, name: string) => void channel.rename.run(name, id),
    channelWorked: (id: string, now: number) => void channel.worked.run(now, id),
    channelFailed: (id: string, problem: string, retryAt: number, now: number) =>
      void channel.failed.run({ id, problem, retryAt, now }),
    channelProblem: (id: string, problem: string) => void channel.problem.run(problem, id),
    /** Ends the wait after a failed attempt. */
    tryNow: (id: string) => void channel.tryNow.run(id),
    disableChannel: (id: string, problem: string) => void channel.disable.run(problem, id),
    removeChannel: (id: string) => void channel.remove.run(id),

    rulesOf: (userId: string): RuleRow[] =>
      rule.all
        .all(userId)
        .map((raw) => ({ ruleId: raw.rule_id, userId, rule: JSON.parse(raw.rule), defaultId: raw.default_id })),
    ruleUsers: (): string[] => rule.users.all().map(({ user_id }) => user_id),
    putRule: ({ ruleId, userId, rule: text, defaultId }: RuleRow, now: number) =>
      void rule.put.run(ruleId, userId, JSON.stringify(text), now, defaultId),
    removeRule: (id: string) => void rule.remove.run(id),
    toldAt: (ruleId: string, subject: string): number | null => rule.told.get(ruleId, subject)?.at ?? null,
    setTold: (ruleId: string, subject: string, at: number) => void rule.setTold.run(ruleId, subject, at),

    /** Returns false if this event has already raised an alarm of the user. */
    addAlarm(row: Omit<AlarmRow, 'seq'>): boolean {
      const { changes, lastInsertRowid } = alarm.add.run(row);
      if (changes > 0 && Number(lastInsertRowid) % PRUNE_EVERY === 0) alarm.prune.run(row.user_id, row.user_id);
      return changes > 0;
    },
    alarms: (userId: string, query: { bot: string | null; before: number | null; limit: number }): AlarmRow[] =>
      alarm.list.all({ user: userId, ...query }),
    unseen: (userId: string, seen: number): number => alarm.unseen.get(userId, seen)?.n ?? 0,

    addDelivery: (row: Partial<DeliveryRow> & Pick<DeliveryRow, 'alarm_id' | 'channel_id' | 'not_before'>) =>
      void delivery.add.run({
        state: 'waiting',
        after_alarm: null,
        message: null,
        sent_at: null,
        problem: null,
        delayed: null,
        ...row,
      }),
    /** What waits on a channel: what is about a PIN first, and the rest oldest first. */
    waiting: (channelId: string, limit: number): WaitingRow[] => delivery.waiting.all(channelId, limit),
    /** True while a message about a PIN waits on a channel. */
    waitsOfPin: (channelId: string): boolean => delivery.ofPin.get(channelId) !== undefined,
    countWaiting: (channelId: string): number => delivery.count.get(channelId)?.n ?? 0,
    delivery: (alarmId: string, channelId: string): DeliveryRow | null => delivery.one.get(alarmId, channelId) ?? null,
    deliveriesOf: (alarmId: string): NamedDelivery[] => delivery.of.all(alarmId),
    claim: (row: DeliveryRow, message: string) => void delivery.claim.run(message, row.alarm_id, row.channel_id),
    endDelivery: (row: DeliveryRow, state: DeliveryRow['state'], at: number, problem: string | null = null) =>
      void delivery.end.run(state, at, problem, row.alarm_id, row.channel_id),
    endAllOf: (channelId: string, state: DeliveryRow['state'], at: number, problem: string) =>
      void delivery.endAll.run(state, at, problem, channelId),
    /** Times of the messages, either about a PIN or others, that were sent after `from`, up to `now`, oldest first. */
    sentSince: (channelId: string, from: number, now: number, ofPin: boolean): number[] =>
      delivery.recent.all(channelId, from, now, ofPin ? 1 : 0).map(({ sent_at }) => sent_at),

    incident: (userId: string, name: string) => incident.get.get(userId, name) ?? null,
    openIncident: (userId: string, name: string, alarmId: string, at: number) =>
      void incident.open.run(userId, name, alarmId, at),
    closeIncident: (userId: string, name: string) => void incident.close.run(userId, name),

    mutesOf: (userId: string, now: number) => mute.of.all(userId, now),
    setMute: (userId: string, botId: string, until: number) => void mute.put.run(userId, botId, until),
    removeMute: (userId: string, botId: string) => void mute.remove.run(userId, botId),

    cursor: (botId: string): CursorRow | null => cursor.get.get(botId) ?? null,
    setCursor: (botId: string, { seq, state }: CursorRow) => void cursor.set.run({ bot: botId, seq, state }),
    removeCursor: (botId: string) => void cursor.remove.run(botId),

    mark: (name: AlarmMark): string | null => mark.get.get(name)?.value ?? null,
    setMark: (name: AlarmMark, value: string | null) =>
      void (value === null ? mark.remove.run(name) : mark.put.run(name, value)),

    watch: (): WatchRow | null => watch.get.get() ?? null,
    setWatch: (row: Pick<WatchRow, 'sealed' | 'target' | 'every_ms' | 'all_bots'>) => void watch.put.run(row),
    watchCalled: (at: number | null, problem: string | null) => void watch.called.run(at, problem),
    removeWatch: () => void watch.remove.run(),
  };
}

export type AlarmStore = ReturnType<typeof createAlarmStore>;

/** Has a restored host send none of the messages that waited when the backup was made; what was open then is over. */
export function dropWaitingAlarms(db: ControlDatabase, now: number): void {
  // A backup of an earlier release has no alarms.
  if (db.prepare("select 1 from sqlite_schema where name = 'alarm_delivery'").get() === undefined) return;
  db.prepare(
    "update alarm_delivery set state = 'dropped', sent_at = ?, problem = 'The host was restored from a backup' where state = 'waiting'",
  ).run(now);
  db.exec('delete from alarm_incident; delete from alarm_cursor;');
  // They tell of the host that made the backup.
  if (db.prepare("select 1 from sqlite_schema where name = 'alarm_mark'").get() !== undefined)
    db.exec('delete from alarm_mark');
  db.exec('update alarm_channel set attempts = 0, retry_at = null, failing_since = null');
}
