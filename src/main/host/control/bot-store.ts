import type { BotHealth, BotHold, BotOptions, BotStatus, BotType, Reason } from '../../../contract/bot.ts';
import { type JsonObject, toTimestamp } from '../../../contract/common.ts';
import type { IsolationLevel } from '../../../contract/isolation.ts';
import { MEND_DISK } from '../../../node/storage-error.ts';
import type { ControlDatabase } from './control-database.ts';
import { RowCache } from './row-cache.ts';
import type { RowSeal } from './row-seal.ts';
import type { Wish, Wishes } from './wishes.ts';

/** When a bot was deleted (ms), and by whom: a person, or a program with a key. */
export interface BotTrash {
  readonly at: number;
  readonly by: string;
  readonly inPerson: boolean;
}

/** An instance as stored. Times are milliseconds since the epoch. */
export interface BotRow {
  readonly botId: string;
  readonly userId: string;
  readonly name: string;
  readonly type: BotType;
  readonly customBot: string;
  readonly version: string;
  readonly schedule: string | null;
  /** Time zone of the schedule, a name of the tz database; UTC for a realtime bot. */
  readonly timezone: string;
  /** As the person wrote it, without defaults. In the database its secrets are sealed. */
  readonly config: JsonObject;
  /** The request was in the flat form: BOT_CONFIG then also carries name, type, version and schedule. */
  readonly flat: boolean;
  readonly options: BotOptions;
  /** Name of the engine that runs it: chosen at deploy, and changed only by an update that asks for another. */
  readonly engine: string;
  /** The bot keeps an engine that isolates less than the host demands: since when (ms), and what the host demands. */
  readonly isolationException: { readonly least: IsolationLevel; readonly since: number } | null;
  readonly enabled: boolean;
  /** Everything of it is being removed. */
  readonly deleting: boolean;
  /** It is in the trash: off, and shown nowhere but there; null for all others. */
  readonly trash: BotTrash | null;
  /** Grows with each change that a running program must be restarted for. */
  readonly epoch: number;
  /** Grows with each change of the setup, also those that a running program does not see. */
  readonly generation: number;
  readonly status: BotStatus;
  readonly reason: Reason | null;
  readonly health: BotHealth;
  /** Keeps the bot stopped until a person starts it; such a bot is not enabled. */
  readonly hold: BotHold | null;
  readonly restarts: number;
  /** Failures in a row; decides the back-off. */
  readonly failures: number;
  readonly nextAttemptAt: number | null;
  /** Due times up to here are decided. */
  readonly scheduledFrom: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface RawBot {
  bot_id: string;
  user_id: string;
  name: string;
  type: BotType;
  custom_bot: string;
  version: string;
  schedule: string | null;
  timezone: string;
  config: string;
  flat: number;
  options: string;
  engine: string;
  isolation_exception: string | null;
  enabled: number;
  deleting: number;
  trash: string | null;
  trash_name: string | null;
  epoch: number;
  generation: number;
  status: BotStatus;
  reason: string | null;
  health: string;
  hold: string | null;
  restarts: number;
  failures: number;
  next_attempt_at: number | null;
  scheduled_from: number | null;
  created_at: number;
  updated_at: number;
}

function fromRaw(raw: RawBot, seal: RowSeal): BotRow {
  return {
    botId: raw.bot_id,
    userId: raw.user_id,
    name: raw.trash_name ?? raw.name,
    type: raw.type,
    customBot: raw.custom_bot,
    version: raw.version,
    schedule: raw.schedule,
    timezone: raw.timezone,
    config: seal.openConfig(raw.bot_id, JSON.parse(raw.config)),
    flat: raw.flat === 1,
    options: JSON.parse(raw.options),
    engine: raw.engine,
    isolationException: raw.isolation_exception === null ? null : JSON.parse(raw.isolation_exception),
    enabled: raw.enabled === 1,
    deleting: raw.deleting === 1,
    trash: raw.trash === null ? null : JSON.parse(raw.trash),
    epoch: raw.epoch,
    generation: raw.generation,
    status: raw.status,
    reason: raw.reason === null ? null : JSON.parse(raw.reason),
    health: JSON.parse(raw.health),
    hold: raw.hold === null ? null : JSON.parse(raw.hold),
    restarts: raw.restarts,
    failures: raw.failures,
    nextAttemptAt: raw.next_attempt_at,
    scheduledFrom: raw.scheduled_from,
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}

type SqlValue = string | number | null;

const COLUMNS: { readonly [K in keyof BotRow]: readonly [string, (value: BotRow[K]) => SqlValue] } = {
  botId: ['bot_id', (v) => v],
  userId: ['user_id', (v) => v],
  name: ['name', (v) => v],
  type: ['type', (v) => v],
  customBot: ['custom_bot', (v) => v],
  version: ['version', (v) => v],
  schedule: ['schedule', (v) => v],
  timezone: ['timezone', (v) => v],
  config: ['config', (v) => JSON.stringify(v)],
  flat: ['flat', Number],
  options: ['options', (v) => JSON.stringify(v)],
  engine: ['engine', (v) => v],
  isolationException: ['isolation_exception', (v) => (v === null ? null : JSON.stringify(v))],
  enabled: ['enabled', Number],
  deleting: ['deleting', Number],
  trash: ['trash', (v) => (v === null ? null : JSON.stringify(v))],
  epoch: ['epoch', (v) => v],
  generation: ['generation', (v) => v],
  status: ['status', (v) => v],
  reason: ['reason', (v) => (v === null ? null : JSON.stringify(v))],
  health: ['health', (v) => JSON.stringify(v)],
  hold: ['hold', (v) => (v === null ? null : JSON.stringify(v))],
  restarts: ['restarts', (v) => v],
  failures: ['failures', (v) => v],
  nextAttemptAt: ['next_attempt_at', (v) => v],
  scheduledFrom: ['scheduled_from', (v) => v],
  createdAt: ['created_at', (v) => v],
  updatedAt: ['updated_at', (v) => v],
};

function toSql(change: Partial<BotRow>): { names: string[]; values: SqlValue[] } {
  const names: string[] = [];
  const values: SqlValue[] = [];
  const add = <K extends keyof BotRow>(key: K, value: BotRow[K]): void => {
    const [column, encode] = COLUMNS[key];
    names.push(column);
    values.push(encode(value));
  };
  for (const key of Object.keys(change)) {
    if (!isColumn(key)) throw new TypeError(`bot has no column ${key}`);
    const value = change[key];
    if (value !== undefined) add(key, value);
  }
  return { names, values };
}

/** What a bot in the trash is called in the database: the name of none, because no name has a control character. */
const nameInTrash = (botId: string): string => `\u0001${botId}`;

/** The columns with the name of a bot that goes into the trash or comes out of it. */
function trashedNames(botId: string, before: BotRow | null, change: Partial<BotRow>): [string, SqlValue][] {
  if (change.trash === undefined || before === null) return [];
  if (change.trash !== null)
    return [
      ['name', nameInTrash(botId)],
      ['trash_name', before.name],
    ];
  return [['trash_name', null], ...(change.name === undefined ? [['name', before.name] as [string, SqlValue]] : [])];
}

function isColumn(key: string): key is keyof BotRow {
  return Object.hasOwn(COLUMNS, key);
}

const AT_WORK: ReadonlySet<BotStatus> = new Set(['starting', 'running', 'stopping']);
/** Reason of a bot whose stop could not be recorded. */
export const UNRECORDED = 'UNRECORDED';
const UNRECORDED_WORDS = 'Stopped on request. The disk refuses changes: the host records that as soon as it takes them';

/** The hold of a panic or guard whose record the disk refused: the same for every reader, and once it can be stored. */
export function unrecordedHold({ hold }: Pick<BotRow, 'hold'>, { at, guard, message }: Omit<Wish, 'wish'>): BotHold {
  if (hold !== null && Date.parse(hold.since) >= at) return hold;
  const common = { hold_id: `hold_${at}`, since: toTimestamp(at), who: null };
  if (guard === undefined) {
    const words = 'Stopped by a panic: the disk refused to record who asked for it';
    return { ...common, by: 'panic', guard_id: null, message: words };
  }
  const words =
    message ?? 'A guard fired while the disk refused to record for what: `platform guards list` shows its value';
  return { ...common, by: 'guard', guard_id: guard, message: words };
}

/** The deletion that the disk refused to record: a wish has no room for a name, so it counts as that of a person. */
export function unrecordedTrash(at: number): BotTrash {
  return { at, by: 'somebody', inPerson: true };
}

const BY_STRENGTH: readonly Wish['wish'][] = ['stop', 'hold', 'trash', 'delete'];

/** True for a wish that would take back a stronger one: a stop a hold, either of them a deletion, that the removal of everything. */
export function takesBack({ wish }: Wish, kept: Wish | undefined): boolean {
  return kept !== undefined && BY_STRENGTH.indexOf(wish) < BY_STRENGTH.indexOf(kept.wish);
}

/** A row with a change applied that the disk kept out of the database. */
export function wished(row: BotRow, kept: Wish, isOver: boolean): BotRow {
  const { wish, at } = kept;
  const stopped = { ...row, enabled: false, nextAttemptAt: null };
  if (wish === 'delete') return { ...stopped, deleting: true };
  const hold = wish === 'hold' ? unrecordedHold(row, kept) : row.hold;
  const reason = { code: UNRECORDED, message: UNRECORDED_WORDS, hint: MEND_DISK, at: toTimestamp(at) };
  const status = AT_WORK.has(row.status) && !isOver ? 'stopping' : 'stopped';
  const trash = wish === 'trash' ? (row.trash ?? unrecordedTrash(at)) : row.trash;
  return { ...stopped, status, reason, hold, trash };
}

/** A change without the fields that a wish adds to a row on reading: stored, they would outlast the wish. */
function ofTheRow(change: Partial<BotRow>): Partial<BotRow> {
  if (change.reason?.code !== UNRECORDED) return change;
  const { reason: _, ...others } = change;
  return others;
}

/** Instances in the control database. */
export interface BotStore {
  insert(row: BotRow): void;
  /** A row is shared between readers and must not be changed. It stays the same object until the row is written. */
  get(botId: string): BotRow | null;
  /** Those that are neither in the trash nor being removed. A list, too, is shared by all who read it. */
  list(userId: string): readonly BotRow[];
  /** All, also those in the trash and those that are being removed. */
  all(): readonly BotRow[];
  /** Those in the trash, of all users. */
  trashed(): readonly BotRow[];
  /** One with this name that is not in the trash. */
  byName(userId: string, name: string): BotRow | null;
  update(botId: string, change: Partial<BotRow>): void;
  remove(botId: string): void;
  /**
   * Keeps a change that the disk kept out of the database: from now on the row reads as if it were recorded, after
   * `storeWish` also for the next host. A stop takes neither a deletion nor a hold back.
   */
  wish(botId: string, wish: Wish): void;
  /** Puts the kept change of a bot, if there is one, on the disk; false if that refuses it. */
  storeWish(botId: string): boolean;
  /** The kept changes with their bots. */
  wishes(): ReturnType<Wishes['all']>;
  /**
   * The programs of a bot have ended, and a full disk keeps that from being recorded: one that was to stop reads as stopped
   * all the same. `at` is milliseconds since the epoch.
   */
  endIsOver(botId: string, at: number): void;
  /** The control database knows it now. */
  dropWish(botId: string): void;
  /** Reads every row again when it is next asked for: what was sealed may open now, or a secret has another value. */
  readAgain(): void;
  /** Instances of a user that run any version of a custom bot, also those in the trash. */
  using(
    userId: string,
    customBot: string,
  ): { readonly name: string; readonly version: string; readonly isTrashed: boolean }[];
}

/** Wishes that take a bot off the list of its user. */
const LEAVES: ReadonlySet<Wish['wish']> = new Set(['trash', 'delete']);

/** Name of the list of all bots; no user is called so. */
const ALL = '';

/** A list read before: its order holds until a bot is added or removed, its rows until one is written. */
interface List {
  readonly ids: readonly string[];
  rows: readonly BotRow[] | null;
}

/** BotStore over the control database. */
export function createBotStore(db: ControlDatabase, wishes: Wishes, seal: RowSeal): BotStore {
  const one = db.prepare<[string], RawBot>('select * from bot where bot_id = ?');
  const ofUser = db.prepare<[string], RawBot>(
    'select * from bot where user_id = ? and deleting = 0 and trash is null order by bot_id',
  );
  const every = db.prepare<[], RawBot>('select * from bot order by bot_id');
  const named = db.prepare<[string, string], RawBot>('select * from bot where user_id = ? and name = ?');
  const drop = db.prepare<[string]>('delete from bot where bot_id = ?');
  const using = db.prepare<[string, string], { name: string; version: string; is_trashed: number }>(
    `select coalesce(trash_name, name) as name, version, trash is not null as is_trashed from bot
     where user_id = ? and custom_bot = ?`,
  );
  const known = new RowCache<BotRow>(db);
  /** Bots with a wish, none of whose programs runs any more. */
  const over = new Set<string>();
  const read = (raw: RawBot): BotRow => {
    const row = fromRaw(raw, seal);
    const wish = wishes.get(row.botId);
    return wish === undefined ? row : wished(row, wish, over.has(row.botId));
  };
  const toRow = (raw: RawBot): BotRow => known.get(raw.bot_id) ?? known.keep(raw.bot_id, read(raw));
  const toRowOrNull = (raw: RawBot | undefined): BotRow | null => (raw === undefined ? null : toRow(raw));
  const get = (botId: string): BotRow | null => known.get(botId) ?? toRowOrNull(one.get(botId));
  const lists = new Map<string, List>();
  const listed = (name: string, read: () => readonly RawBot[]): readonly BotRow[] => {
    const list = lists.get(name);
    const rows = list?.rows ?? list?.ids.flatMap((botId) => get(botId) ?? []) ?? read().map(toRow);
    if (!db.inTransaction) lists.set(name, { ids: list?.ids ?? rows.map(({ botId }) => botId), rows });
    return rows;
  };
  /** Another version may mark other settings as secret, so its bot's config is sealed again. */
  const sealed = (botId: string, change: Partial<BotRow>): Partial<BotRow> => {
    const row = change.config === undefined && change.version === undefined ? null : get(botId);
    if (row === null) return change;
    const next = { ...row, ...change };
    return { ...change, config: seal.sealConfig(next, next.config) };
  };
  const written = (botId: string, comesOrLeaves: boolean): void => {
    known.forget(botId);
    if (comesOrLeaves) lists.clear();
    else for (const list of lists.values()) list.rows = null;
  };
  return {
    insert(row) {
      const { names, values } = toSql({ ...row, config: seal.sealConfig(row, row.config) });
      db.prepare(`insert into bot (${names.join(',')}) values (${names.map(() => '?').join(',')})`).run(...values);
      written(row.botId, true);
    },
    get,
    list: (userId) =>
      listed(userId, () => ofUser.all(userId).filter((raw) => !LEAVES.has(wishes.get(raw.bot_id)?.wish ?? 'stop'))),
    all: () => listed(ALL, () => every.all()),
    trashed: () => listed(ALL, () => every.all()).filter(({ trash, deleting }) => trash !== null && !deleting),
    byName: (userId, name) => toRowOrNull(named.get(userId, name)),
    update(botId, change) {
      const { names, values } = toSql(sealed(botId, ofTheRow(change)));
      for (const [name, value] of trashedNames(botId, get(botId), change)) {
        names.push(name);
        values.push(value);
      }
      if (names.length === 0) return;
      db.prepare(`update bot set ${names.map((name) => `${name} = ?`).join(', ')} where bot_id = ?`).run(
        ...values,
        botId,
      );
      written(
        botId,
        [change.deleting, change.trash, change.userId].some((value) => value !== undefined),
      );
    },
    remove: (botId) => {
      drop.run(botId);
      written(botId, true);
    },
    wish(botId, wish) {
      if (takesBack(wish, wishes.get(botId))) return;
      wishes.keep(botId, wish);
      over.delete(botId);
      written(botId, true);
    },
    storeWish: (botId) => wishes.store(botId),
    wishes: () => wishes.all('bot'),
    endIsOver(botId, at) {
      const row = get(botId);
      if (row === null || row.enabled || row.deleting || over.has(botId)) return;
      if (wishes.get(botId) === undefined) wishes.keep(botId, { wish: 'stop', at });
      wishes.store(botId);
      over.add(botId);
      written(botId, false);
    },
    dropWish(botId) {
      if (wishes.get(botId) === undefined) return;
      wishes.drop(botId);
      over.delete(botId);
      written(botId, true);
    },
    readAgain() {
      known.clear();
      lists.clear();
    },
    using: (userId, customBot) =>
      using
        .all(userId, customBot)
        .map(({ name, version, is_trashed }) => ({ name, version, isTrashed: is_trashed === 1 })),
  };
}
