import type { Reason } from '../../../contract/bot.ts';
import { errorText } from '../../../node/system-error.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { EventStore } from '../control/event-store.ts';
import type { Confinement } from '../engine/engine.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { Journal } from './journal.ts';
import { type ConfinedRun, confinementsOf, type LiveRun } from './live-run.ts';
import { reason } from './reasons.ts';

/** A run, as far as it looks for the gate. */
type LedRun = ConfinedRun & Pick<LiveRun, 'botId'> & { readonly run: Pick<LiveRun['run'], 'runId'> };

interface LostNetworksDeps {
  readonly bots: Pick<BotStore, 'all' | 'get'>;
  readonly liveRuns: (botId: string) => readonly LedRun[];
  readonly events: Pick<EventStore, 'networkOf'>;
  readonly journal: Pick<Journal, 'change'>;
  readonly telemetry: Pick<Telemetry, 'hostLine'>;
  /** Port of the gate that the host has found; null where it has found none. */
  readonly foundPort: () => number | null;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** Where the gate is, as far as the host knows: `why` it had to leave its port, or cannot be started. */
type Place =
  | { readonly is: 'unknown' }
  | { readonly is: 'at'; readonly port: number; readonly why: string | null }
  | { readonly is: 'gone'; readonly why: string };

const MOVED = 'GATE_MOVED';
const GONE = 'GATE_GONE';

/** True where a program looks for the gate. One of the sandbox may do so whose start an earlier release did not record. */
const mayLook = ({ gatePort, level }: Confinement): boolean =>
  typeof gatePort === 'number' || (gatePort === 'unknown' && level !== 'none');

/** True where a host has to have a gate for the programs of these runs. */
export const needGate = (runs: readonly ConfinedRun[]): boolean => confinementsOf(runs).some(mayLook);

/** Records in the journal that a run looks for the gate where none is, once, and that it has found it again. */
export class LostNetworks {
  readonly #deps: LostNetworksDeps;
  #place: Place = { is: 'unknown' };
  /** The place by which a run was judged last. */
  readonly #seen = new WeakMap<LedRun, Place>();
  /** The code by which a run was last told that it has no network; null where it has. */
  readonly #told = new WeakMap<LedRun, string | null>();

  constructor(deps: LostNetworksDeps) {
    this.#deps = deps;
  }

  /** The gate runs. `why` it had to leave the port where it was; null where it did not have to. */
  gateAt(port: number, why: string | null): void {
    this.#place = { is: 'at', port, why };
    this.lookAtAll();
  }

  /** The gate has ended and cannot be started again; said after each attempt that fails. */
  gateGone(error: unknown): void {
    if (this.#place.is === 'gone') return;
    this.#place = { is: 'gone', why: errorText(error) };
    this.lookAtAll();
  }

  /** A run has begun, or was found again. */
  watch(bot: BotRow, live: LedRun): void {
    // This is called for what a gate does, and for a start that went well: what is thrown here must end neither.
    try {
      this.#look(bot, live);
      this.#seen.set(live, this.#place);
    } catch (error) {
      this.#deps.onError(`the network of ${bot.botId}`, error);
    }
  }

  /** Tells runs what a full disk kept from being told. */
  lookAtAll(): void {
    for (const bot of this.#deps.bots.all())
      for (const live of this.#deps.liveRuns(bot.botId))
        if (this.#seen.get(live) !== this.#place) this.watch(bot, live);
  }

  #look(bot: BotRow, live: LedRun): void {
    const led = this.#ledBy(bot, live);
    const place = this.#place;
    if (led.length === 0 || place.is === 'unknown') return;
    const told = this.#toldOf(live);
    this.#told.set(live, told);
    if (place.is === 'gone') {
      if (told === null) this.#tell(live, 'network_lost', this.#goneReason(place.why));
      return;
    }
    const stranded = led.find(({ gatePort }) => gatePort !== place.port);
    if (stranded !== undefined) {
      if (told !== MOVED) this.#tell(live, 'network_lost', this.#movedReason(bot, stranded, place.why));
    } else if (told === GONE) {
      this.#tell(
        live,
        'network_back',
        reason('GATE_BACK', 'Its network is back: the gate runs again', null, this.#deps.now()),
      );
    }
  }

  /** What of a run is known to look for the gate, and where. */
  #ledBy({ options }: BotRow, live: LedRun): readonly Confinement[] {
    const before = options.network === 'none' ? null : this.#deps.foundPort();
    return confinementsOf([live]).flatMap((held) => {
      if (typeof held.gatePort === 'number') return [held];
      // What an earlier release has started in a sandbox that holds its network looks where the gate was then.
      return held.gatePort === 'unknown' && held.level === 'sandbox' && before !== null
        ? [{ ...held, gatePort: before }]
        : [];
    });
  }

  /** As in `#told`. A run that this host sees for the first time may have been told by an earlier one. */
  #toldOf(live: LedRun): string | null {
    const known = this.#told.get(live);
    if (known !== undefined) return known;
    const last = this.#deps.events.networkOf(live.botId, live.run.runId);
    return last?.kind === 'network_lost' ? (last.reason?.code ?? null) : null;
  }

  #goneReason(why: string): Reason {
    const hint =
      'The host tries again, at the latest after 30 seconds. If it stays so, look into gate/gate.log of the data folder: the disk may be full, or the machine out of memory or processes.';
    return reason(
      GONE,
      `Its network is gone: the gate has ended and cannot be started (${why})`,
      hint,
      this.#deps.now(),
    );
  }

  #movedReason({ type, botId }: BotRow, { network, gatePort }: Confinement, why: string | null): Reason {
    const what = network === 'gate' ? 'Its network is gone' : 'Its way to the gate is gone';
    const because = why === null ? '' : ` (${why})`;
    const remedy =
      type === 'realtime'
        ? `Its program does not find the gate again. Restart it: \`platform bot restart ${botId}\`.`
        : `Its next run finds the gate. End this one if it waits for its network: \`platform bot stop ${botId}\`.`;
    return reason(MOVED, `${what}: the gate had to leave port ${gatePort}${because}`, remedy, this.#deps.now());
  }

  #tell(live: LedRun, kind: 'network_lost' | 'network_back', why: Reason): void {
    const { telemetry, journal } = this.#deps;
    const {
      botId,
      run: { runId },
    } = live;
    journal.change(botId, {}, { kind, runId, why });
    this.#told.set(live, kind === 'network_lost' ? why.code : null);
    const text = why.hint === null ? why.message : `${why.message}. ${why.hint}`;
    telemetry.hostLine(botId, kind === 'network_lost' ? 'warn' : 'info', text, runId);
  }
}
