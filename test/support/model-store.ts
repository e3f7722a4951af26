import type { BotEvent } from '../../src/contract/bot.ts';
import { toTimestamp } from '../../src/contract/common.ts';
import { type BotRow, type BotStore, takesBack, wished } from '../../src/main/host/control/bot-store.ts';
import type { EventStore, NewBotEvent } from '../../src/main/host/control/event-store.ts';
import type { RunRow, RunStore, UnitRow } from '../../src/main/host/control/run-store.ts';
import type { Wish } from '../../src/main/host/control/wishes.ts';

/** What a control database holds. Rows are never changed, only replaced. */
interface Tables {
  readonly bots: Map<string, BotRow>;
  readonly runs: Map<string, RunRow>;
  readonly units: Map<string, UnitRow>;
  readonly events: NewBotEvent[];
}

const unitKey = (runId: string, role: UnitRow['role']): string => `${runId} ${role}`;
const isUnfinished = ({ status }: RunRow): boolean => status === 'starting' || status === 'running';

/** A control database in memory, without SQL: a transaction is whole or nothing, and its end can be refused. */
export class ModelStore {
  #tables: Tables = { bots: new Map(), runs: new Map(), units: new Map(), events: [] };
  /** Wishes that a full disk kept out. They outlive a host; which of them are over it forgets. */
  readonly #wishes = new Map<string, Wish>();
  readonly #over = new Set<string>();
  #depth = 0;
  /** Called before a transaction is stored with what it began with; an error refuses it. */
  readonly #commits: (before: Tables, after: Tables) => void;

  constructor(commits: (before: Tables, after: Tables) => void) {
    this.#commits = commits;
  }

  /** What a host keeps in memory goes with it. */
  hostDied(): void {
    this.#over.clear();
  }

  isWished(botId: string): boolean {
    return this.#wishes.has(botId);
  }

  get tables(): Tables {
    return this.#tables;
  }

  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    const before = this.#tables;
    const { bots, runs, units, events } = before;
    this.#tables = { bots: new Map(bots), runs: new Map(runs), units: new Map(units), events: [...events] };
    this.#depth = 1;
    try {
      const done = work();
      this.#commits(before, this.#tables);
      return done;
    } catch (error) {
      this.#tables = before;
      throw error;
    } finally {
      this.#depth = 0;
    }
  }

  readonly bots: BotStore = {
    insert: (row) => this.transaction(() => void this.#tables.bots.set(row.botId, row)),
    get: (botId) => this.#bot(botId),
    readAgain: () => undefined,
    list: () => this.#bots().filter(({ deleting }) => !deleting),
    all: () => this.#bots(),
    trashed: () => this.#bots().filter(({ trash }) => trash !== null),
    byName: (_, name) => this.#bots().find((bot) => bot.name === name) ?? null,
    update: (botId, change) =>
      this.transaction(() => {
        const row = this.#tables.bots.get(botId);
        if (row !== undefined) this.#tables.bots.set(botId, { ...row, ...change });
      }),
    remove: (botId) => this.transaction(() => this.#remove(botId)),
    wish: (botId, wish) => {
      if (takesBack(wish, this.#wishes.get(botId))) return;
      this.#wishes.set(botId, wish);
      this.#over.delete(botId);
    },
    storeWish: () => true,
    wishes: () => [...this.#wishes],
    endIsOver: (botId, at) => {
      const row = this.#bot(botId);
      if (row === null || row.enabled || row.deleting) return;
      if (!this.#wishes.has(botId)) this.#wishes.set(botId, { wish: 'stop', at });
      this.#over.add(botId);
    },
    dropWish: (botId) => {
      this.#wishes.delete(botId);
      this.#over.delete(botId);
    },
    using: () => [],
  };

  readonly runs: RunStore = {
    insert: (run) =>
      this.transaction(() => {
        const { botId, scheduledAt } = run;
        if (scheduledAt !== null && this.#runs(botId).some((one) => one.scheduledAt === scheduledAt)) return false;
        this.#tables.runs.set(run.runId, run);
        return true;
      }),
    get: (runId) => this.#tables.runs.get(runId) ?? null,
    list: (botId, limit) => this.#runs(botId).reverse().slice(0, limit),
    last: (botId) => this.#runs(botId).findLast(({ status }) => status !== 'skipped') ?? null,
    unfinished: () => [...this.#tables.runs.values()].filter(isUnfinished),
    goesOn: (botId) => this.#runs(botId).some(isUnfinished),
    catchesUp: (runId) => this.#change(runId, { trigger: 'catch_up' }),
    started: (runId, at) => this.#change(runId, { status: 'running', startedAt: at }),
    end: (runId, end) => this.#change(runId, end),
    restartsSince: () => 0,
    skippedSince: () => 0,
    forget: () => undefined,
    prune: () => undefined,
    addUnit: (unit) => this.transaction(() => void this.#tables.units.set(unitKey(unit.runId, unit.role), unit)),
    units: () => [...this.#tables.units.values()],
    unitsOf: (botId) => [...this.#tables.units.values()].filter((unit) => unit.botId === botId),
    removeUnit: (runId, role) => this.transaction(() => void this.#tables.units.delete(unitKey(runId, role))),
    removeUnits: (runId) =>
      this.transaction(() => {
        this.#tables.units.delete(unitKey(runId, 'bot'));
        this.#tables.units.delete(unitKey(runId, 'query'));
      }),
  };

  readonly events: EventStore = {
    add: (event) =>
      this.transaction(() => {
        this.#tables.events.push(event);
        return this.#shown(event, this.#tables.events.length);
      }),
    removeOf: () => undefined,
    list: () => [],
    changesSince: () => [],
    exposureOf: () => null,
    networkOf: () => null,
    lacksNetwork: () => false,
    after: () => [],
    newest: () => this.#tables.events.length,
    begun: () => 0,
  };

  #shown(event: NewBotEvent, id: number): BotEvent {
    const { botId, at, kind, status, health, reason, runId } = event;
    const shown = { event_id: id, bot_id: botId, at: toTimestamp(at), kind, status, health, reason, run_id: runId };
    return { ...shown, changes: [] };
  }

  #bots(): BotRow[] {
    return [...this.#tables.bots.keys()].flatMap((botId) => this.#bot(botId) ?? []);
  }

  #bot(botId: string): BotRow | null {
    const row = this.#tables.bots.get(botId);
    const wish = this.#wishes.get(botId);
    if (row === undefined || wish === undefined) return row ?? null;
    return wished(row, wish, this.#over.has(botId));
  }

  #runs(botId: string): RunRow[] {
    return [...this.#tables.runs.values()].filter((run) => run.botId === botId);
  }

  #change(runId: string, change: Partial<RunRow>): void {
    this.transaction(() => {
      const run = this.#tables.runs.get(runId);
      if (run !== undefined) this.#tables.runs.set(runId, { ...run, ...change });
    });
  }

  #remove(botId: string): void {
    const { bots, runs, units } = this.#tables;
    bots.delete(botId);
    for (const run of this.#runs(botId)) runs.delete(run.runId);
    for (const [key, unit] of units) if (unit.botId === botId) units.delete(key);
  }
}

export type { Tables };
