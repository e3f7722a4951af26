import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { PlaceInfo } from '../../../contract/host.ts';
import { dataFolderAt } from '../../../node/data-folder.ts';
import { whyUnseen } from '../../../node/data-folder-place.ts';
import { seenHolder } from '../../../node/hold-folder.ts';
import { COPIED } from '../../../shared/waiting-reasons.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import { type OriginalProgram, originsOf, type PlaceStore, peekPrograms } from '../control/data-folder-place-record.ts';
import type { Engines } from '../engine/engines.ts';
import type { Journal } from './journal.ts';

export interface CopiedFolderDeps {
  readonly place: PlaceStore;
  /** Reason for which the place of the folder cannot be proved; null where it can. */
  readonly weak: string | null;
  readonly bots: BotStore;
  readonly journal: Journal;
  readonly engines: Pick<Engines, 'get'>;
  /** Brings a bot in line after its record has changed. */
  readonly reconcile: (botId: string) => Promise<void>;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

const STEP = 'Once nothing uses it there any more, say that the folder has moved here: `platform moved-here`.';
const SHOWN = 3;

/** Guards the place of the data folder. In a copied folder no bot starts until its owner has confirmed a move. */
export class CopiedFolder {
  readonly #deps: CopiedFolderDeps;

  constructor(deps: CopiedFolderDeps) {
    this.#deps = deps;
  }

  info(): PlaceInfo {
    const record = this.#deps.place.get();
    const { place, arrival } = record;
    const isUnproved = this.#deps.weak !== null && place.name === null;
    return {
      state: arrival !== null ? 'copied' : isUnproved ? 'unproved' : 'here',
      identity: place.name,
      note: isUnproved ? this.#deps.weak : null,
      from: arrival === null ? null : originsOf(record).map((path) => ({ path, unseen: whyUnseen(path) })),
      since: arrival === null ? null : toTimestamp(arrival.at),
      waiting: this.#waiting().length,
    };
  }

  /** Notes for people at the start of the host. */
  notes(): string[] {
    const { state, note, from, waiting } = this.info();
    if (state === 'copied') {
      const places = (from ?? []).map(({ path }) => path).join(', then ');
      const whence = places === '' ? '' : ` from ${places}`;
      return [`This data folder was copied or moved here${whence}; ${waiting} bots wait. ${STEP}`];
    }
    if (state === 'here') return [];
    return [`A copy of this data folder would go unnoticed: ${note}. Name this place with --host-identity NAME.`];
  }

  /** Throws COPIED while no bot may start here. */
  assertHere(): void {
    if (this.#deps.place.get().arrival === null) return;
    // Users and their keys read this error; only the owner may learn folders of this machine.
    throw new PlatformError(
      COPIED,
      'No bot starts: the data folder of this host was copied or moved here, and its bots may still run in the original',
      { hint: STEP },
    );
  }

  /**
   * Confirms that the folder has moved here, and starts the bots that wait for that. Refuses while a host still runs on
   * one of the earlier places, as far as this machine shows it, and while a program of one of them runs here.
   */
  async movedHere(): Promise<{ started: number }> {
    const record = this.#deps.place.get();
    if (record.arrival !== null) {
      const origins = originsOf(record);
      await Promise.all(origins.map((path) => this.#refuseHost(path)));
      // Only the original's own records hold what it has started since.
      const since = origins.flatMap((path) => peekPrograms(dataFolderAt(path).controlDatabase));
      await this.#refusePrograms([...record.arrival.programs, ...since]);
      this.#deps.place.accept();
    }
    return { started: await this.startWaiting() };
  }

  /** Starts the bots that waited for the confirmation; an earlier host may have ended before it had started all of them. */
  async startWaiting(): Promise<number> {
    if (this.#deps.place.get().arrival !== null) return 0;
    const waiting = this.#waiting();
    const at = this.#deps.now();
    for (const { botId, type } of waiting) {
      this.#deps.journal.change(botId, {
        enabled: true,
        status: type === 'realtime' ? 'starting' : 'scheduled',
        reason: null,
        failures: 0,
        nextAttemptAt: null,
        scheduledFrom: at,
        updatedAt: at,
      });
    }
    for (const { botId } of waiting) {
      await this.#deps.reconcile(botId).catch((error: unknown) => this.#deps.onError(`start of ${botId}`, error));
    }
    return waiting.length;
  }

  #waiting(): BotRow[] {
    return this.#deps.bots.all().filter(({ reason, enabled, deleting }) => {
      return reason?.code === COPIED && !enabled && !deleting;
    });
  }

  async #refuseHost(path: string): Promise<void> {
    const { name } = this.#deps.place.get().place;
    const holder = await seenHolder(dataFolderAt(path), name).catch((error: unknown) => {
      // An unreadable or missing folder proves nothing, and the question to the owner says so.
      this.#deps.onError(`the lock in ${path}`, error);
      return null;
    });
    if (holder === null) return;
    throw new PlatformError('HOST_RUNNING', `A host still runs on the original folder ${path} (${holder.who})`, {
      hint: `Stop that host: \`platform stop --data ${/\s/.test(path) ? `"${path}"` : path}\`. Then say so again.`,
      details: { pid: holder.pid },
    });
  }

  async #refusePrograms(programs: readonly OriginalProgram[]): Promise<void> {
    const running = new Set<string>();
    for (const { botId, engine, handle } of programs) {
      if (await this.#deps.engines.get(engine).stillRuns(JSON.parse(handle))) running.add(botId);
    }
    if (running.size === 0) return;
    const names = [...running].map((botId) => this.#deps.bots.get(botId)?.name ?? botId);
    const shown = names.slice(0, SHOWN).join(', ');
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
    throw new PlatformError(
      COPIED,
      `Programs of these bots run on this machine, for the original folder: ${shown}${more}`,
      {
        hint: 'Stop them there first: start the host of the original folder and stop it without --leave-bots. Then say so again.',
        details: { bots: [...running] },
      },
    );
  }
}
