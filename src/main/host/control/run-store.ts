import type { Reason, RunStatus, RunTrigger, TradeMode } from '../../../contract/bot.ts';
import type { ControlDatabase } from './control-database.ts';
import { RowCache } from './row-cache.ts';
import { type RowSeal, unitRecord } from './row-seal.ts';

/** One run as stored. Times are milliseconds since the epoch. */
export interface RunRow {
  readonly runId: string;
  readonly botId: string;
  readonly version: string;
  readonly trigger: RunTrigger;
  readonly status: RunStatus;
  readonly scheduledAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly result: unknown;
  readonly reason: Reason | null;
  readonly createdAt: number;
  readonly mode: TradeMode;
  /** Hash of the version that it runs; null until it starts. */
  readonly versionHash: string | null;
}

/** What is known of a run once it starts. */
export type StartFacts = Pick<RunRow, 'mode' | 'versionHash'>;

/** A program that runs, or ran when the host last saw it, with everything needed to find it again. */
export interface UnitRow {
  readonly runId: string;
  readonly botId: string;
  readonly role: 'bot' | 'query';
  readonly engine: string;
  readonly epoch: number;
  /** The engine's handle as JSON text. */
  readonly handle: string;
  /** Time at which the host ends a scheduled run for taking too long, in ms since the epoch; null for no limit. */
  readonly deadline: number | null;
  /** Secret values with which the program was started: they are masked in its output as long as it runs. */
  readonly secrets: readonly string[];
  readonly createdAt: number;
}

interface RawRun {
  run_id: string;
  bot_id: string;
  version: string;
  trigger: RunTrigger;
  status: RunStatus;
  slot: number | null;
  started_at: number | null;
  ended_at: number | null;
  exit_code: number | null;
  signal: string | null;
  result: string | null;
  reason: string | null;
  created_at: number;
  mode: TradeMode;
  version_hash: string | null;
}

interface RawUnit {
  run_id: string;
  bot_id: string;
  role: 'bot' | 'query';
  engine: string;
  epoch: number;
  handle: string;
  deadline: number | null;
  secrets: string;
  created_at: number;
}

function unitFromRaw(raw: RawUnit, seal: RowSeal): UnitRow {
  return {
    runId: raw.run_id,
    botId: raw.bot_id,
    role: raw.role,
    engine: raw.engine,
    epoch: raw.epoch,
    handle: raw.handle,
    deadline: raw.deadline,
    secrets: seal.openTexts(unitRecord(raw.run_id, raw.role), raw.secrets),
    createdAt: raw.created_at,
  };
}

function runFromRaw(raw: RawRun): RunRow {
  return {
    runId: raw.run_id,
    botId: raw.bot_id,
    version: raw.version,
    trigger: raw.trigger,
    status: raw.status,
    scheduledAt: raw.slot,
    startedAt: raw.started_at,
    endedAt: raw.ended_at,
    exitCode: raw.exit_code,
    signal: raw.signal,
    result: raw.result === null ? null : JSON.parse(raw.result),
    reason: raw.reason === null ? null : JSON.parse(raw.reason),
    createdAt: raw.created_at,
    mode: raw.mode,
    versionHash: raw.version_hash,
  };
}

/** End of a run. */
export interface RunEnd {
  readonly status: RunStatus;
  readonly endedAt: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly result: unknown;
  readonly reason: Reason | null;
}

/** Runs and the units behind them. */
export interface RunStore {
  /**
   * Adds a run; false when its due time already has a run. A due time runs exactly once, also across crashes and clock
   * changes.
   */
  insert(run: RunRow): boolean;
  get(runId: string): RunRow | null;
  list(botId: string, limit: number, before?: string): RunRow[];
  /** The newest run that was not skipped. It is the same object until a run changes. */
  last(botId: string): RunRow | null;
  unfinished(): RunRow[];
  /** True if the bot has an unfinished run. */
  goesOn(botId: string): boolean;
  /** Marks a run as catch-up for a due time at which no host ran. */
  catchesUp(runId: string): void;
  started(runId: string, at: number, facts: StartFacts): void;
  end(runId: string, end: RunEnd): void;
  /** Restarts of a bot since a time (ms); at most 1000. */
  restartsSince(botId: string, since: number): number;
  /** Due times of a bot since a time (ms) that had no run. */
  skippedSince(botId: string, since: number): number;
  /** Drops the cached runs of a removed bot. */
  forget(botId: string): void;
  /** Keeps the newest `keep` finished runs of a bot. */
  prune(botId: string, keep: number): void;
  addUnit(unit: UnitRow): void;
  units(): UnitRow[];
  unitsOf(botId: string): UnitRow[];
  removeUnit(runId: string, role: UnitRow['role']): void;
  /** Removes the units of every role. */
  removeUnits(runId: string): void;
}

/** RunStore over the control database. */
export function createRunStore(db: ControlDatabase, seal: RowSeal): RunStore {
  const insert = db.prepare(
    `insert into run (run_id, bot_id, version, trigger, status, slot, started_at, ended_at, exit_code, signal, result, reason, created_at,
       mode, version_hash)
     values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) on conflict do nothing`,
  );
  const one = db.prepare<[string], RawRun>('select * from run where run_id = ?');
  const page = db.prepare<[string, string | null, string | null, number], RawRun>(
    'select * from run where bot_id = ? and (? is null or run_id < ?) order by run_id desc limit ?',
  );
  const last = db.prepare<[string], RawRun>(
    "select * from run where bot_id = ? and status <> 'skipped' order by run_id desc limit 1",
  );
  const unfinished = db.prepare<[], RawRun>("select * from run where status in ('starting','running') order by run_id");
  const goesOn = db.prepare<[string], unknown>(
    "select 1 from run where bot_id = ? and status in ('starting','running') limit 1",
  );
  const restarts = db.prepare<[string, number], { n: number }>(
    `select count(*) as n from (select trigger, created_at from run where bot_id = ? order by run_id desc limit 1000)
     where trigger in ('restart', 'recovery') and created_at >= ?`,
  );
  const skipped = db.prepare<[string, number], { n: number }>(
    "select count(*) as n from run where bot_id = ? and slot >= ? and status = 'skipped'",
  );
  const catchesUp = db.prepare<[string], { bot_id: string }>(
    "update run set trigger = 'catch_up' where run_id = ? returning bot_id",
  );
  const started = db.prepare<[number, TradeMode, string | null, string], { bot_id: string }>(
    `update run set status = 'running', started_at = ?, mode = ?, version_hash = ? where run_id = ?
     returning bot_id`,
  );
  const end = db.prepare<(string | number | null)[], { bot_id: string }>(
    `update run set status = ?, ended_at = ?, exit_code = ?, signal = ?, result = ?, reason = ? where run_id = ?
     returning bot_id`,
  );
  const prune = db.prepare(
    `delete from run where bot_id = ? and ended_at is not null and run_id < coalesce(
       (select run_id from run where bot_id = ? and ended_at is not null order by run_id desc limit 1 offset ?), '')`,
  );
  const addUnit = db.prepare(
    'insert into unit (run_id, role, bot_id, engine, epoch, handle, deadline, secrets, created_at) values (?,?,?,?,?,?,?,?,?)',
  );
  const units = db.prepare<[], RawUnit>('select * from unit order by created_at');
  const unitsOf = db.prepare<[string], RawUnit>('select * from unit where bot_id = ? order by created_at');
  /** Bots that may have units: a look at all bots asks for those of each, and nearly all have none. */
  const mayHaveUnits = new Set(
    db
      .prepare<[], { botId: string }>('select distinct bot_id as botId from unit')
      .all()
      .map(({ botId }) => botId),
  );
  const removeUnits = db.prepare('delete from unit where run_id = ?');
  const removeUnit = db.prepare('delete from unit where run_id = ? and role = ?');
  const text = (value: unknown): string | null =>
    value === null || value === undefined ? null : JSON.stringify(value);
  const lasts = new RowCache<RunRow | null>(db);
  const changed = (run: { readonly bot_id: string } | undefined): void => {
    if (run !== undefined) lasts.forget(run.bot_id);
  };
  return {
    insert(run) {
      const values = [run.startedAt, run.endedAt, run.exitCode, run.signal, text(run.result), text(run.reason)];
      const { runId, botId, version, trigger, status, scheduledAt, createdAt, mode, versionHash } = run;
      const last = [createdAt, mode, versionHash];
      const { changes } = insert.run(runId, botId, version, trigger, status, scheduledAt, ...values, ...last);
      lasts.forget(botId);
      return changes === 1;
    },
    get(runId) {
      const raw = one.get(runId);
      return raw === undefined ? null : runFromRaw(raw);
    },
    list: (botId, limit, before) => page.all(botId, before ?? null, before ?? null, limit).map(runFromRaw),
    last(botId) {
      const known = lasts.get(botId);
      if (known !== undefined) return known;
      const raw = last.get(botId);
      return lasts.keep(botId, raw === undefined ? null : runFromRaw(raw));
    },
    unfinished: () => unfinished.all().map(runFromRaw),
    goesOn: (botId) => goesOn.get(botId) !== undefined,
    catchesUp: (runId) => {
      changed(catchesUp.get(runId));
    },
    started: (runId, at, { mode, versionHash }) => {
      changed(started.get(at, mode, versionHash, runId));
    },
    end: (runId, e) => {
      changed(end.get(e.status, e.endedAt, e.exitCode, e.signal, text(e.result), text(e.reason), runId));
    },
    restartsSince: (botId, since) => restarts.get(botId, since)?.n ?? 0,
    skippedSince: (botId, since) => skipped.get(botId, since)?.n ?? 0,
    forget: (botId) => lasts.forget(botId),
    prune: (botId, keep) => {
      prune.run(botId, botId, keep);
      lasts.forget(botId);
    },
    addUnit: (u) => {
      mayHaveUnits.add(u.botId);
      const secrets = seal.sealTexts(unitRecord(u.runId, u.role), u.secrets);
      addUnit.run(u.runId, u.role, u.botId, u.engine, u.epoch, u.handle, u.deadline, secrets, u.createdAt);
    },
    units: () => units.all().map((raw) => unitFromRaw(raw, seal)),
    unitsOf: (botId) => (mayHaveUnits.has(botId) ? unitsOf.all(botId).map((raw) => unitFromRaw(raw, seal)) : []),
    removeUnits: (runId) => {
      removeUnits.run(runId);
    },
    removeUnit: (runId, role) => {
      removeUnit.run(runId, role);
    },
  };
}
