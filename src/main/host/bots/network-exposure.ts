import { request } from 'node:http';
import type { Reason } from '../../../contract/bot.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { EventStore } from '../control/event-store.ts';
import type { Listening, Place, Unit } from '../engine/engine.ts';
import { QUERY_HOST } from '../engine/query-connection.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { Journal } from './journal.ts';
import { type LiveRun, later, listeningOf } from './live-run.ts';
import { reason } from './reasons.ts';
import type { UnitSpecs } from './unit-spec.ts';

export interface ExposuresDeps {
  readonly unitSpecs: UnitSpecs;
  readonly events: EventStore;
  readonly journal: Journal;
  readonly telemetry: Telemetry;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** Times at which a run is checked, in ms after the host took charge of it: some programs begin to listen late. */
const LOOKS_MS = [2000, 10_000, 60_000, 300_000];
const PATIENCE_MS = 2000;

const OPEN_HINT =
  'Unless others are meant to reach it, let it listen on 127.0.0.1, or run it in a container (options.engine).';
const QUERY_HINT = 'Serve queries through the SDK of this release, compiled anew where it is compiled.';

const isOpen = ({ host }: Place): boolean => !host.startsWith('127.') && host !== '::1';

const written = ({ host, port }: Place): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Status of the answer to a request without the token of the host; null when none came. */
async function statusFor(unit: Unit): Promise<number | null> {
  // No listener yet, or one without HTTP: neither answers strangers.
  const socket = await unit.connectQuery().catch(() => null);
  if (socket === null) return null;
  return new Promise((resolve) => {
    const outgoing = request({
      createConnection: () => socket,
      headers: { host: QUERY_HOST, connection: 'close' },
      path: '/health',
      insecureHTTPParser: true,
    });
    const timer = setTimeout(() => outgoing.destroy(), PATIENCE_MS);
    outgoing.once('response', (answer) => {
      resolve(answer.statusCode ?? null);
      answer.destroy();
    });
    outgoing.on('error', () => resolve(null));
    outgoing.once('close', () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(null);
    });
    outgoing.end();
  });
}

/** Finds out which realtime bots accept connections from others than their host, and reports each once per run. */
export class Exposures {
  readonly #deps: ExposuresDeps;

  constructor(deps: ExposuresDeps) {
    this.#deps = deps;
  }

  /** Checks a run of a realtime bot from time to time until it finds an open port. */
  watch(bot: BotRow, live: LiveRun): void {
    if (bot.type !== 'realtime') return;
    live.exposure = this.#deps.events.exposureOf(live.botId, live.run.runId);
    if (live.exposure === null) this.#lookLater(bot, live, 0);
  }

  #lookLater(bot: BotRow, live: LiveRun, number: number): void {
    const at = LOOKS_MS[number];
    if (at === undefined) return;
    later(live, at - (LOOKS_MS[number - 1] ?? 0), () => {
      this.#look(bot, live)
        .then((found) => {
          if (found === null) this.#lookLater(bot, live, number + 1);
          else this.#tell(live, found);
        })
        .catch((error: unknown) => this.#deps.onError(`open ports of ${live.botId}`, error));
    });
  }

  /** The exposure that others can reach; null for none. */
  async #look(bot: BotRow, live: LiveRun): Promise<Reason | null> {
    const listening = await listeningOf(live);
    const open = [...new Set((listening?.at ?? []).filter(isOpen).map(written))];
    const answers = this.#deps.unitSpecs.servesQueries(bot) && (await this.#answersStrangers(live, listening));
    if (open.length === 0 && !answers) return null;
    const messages = [
      ...(open.length === 0
        ? []
        : [`It listens on ${open.join(' and ')}, which is open to the network of this machine`]),
      ...(answers ? ['Its query port answers whoever reaches it, without the token of the host'] : []),
    ];
    const hints = [...(open.length === 0 ? [] : [OPEN_HINT]), ...(answers ? [QUERY_HINT] : [])];
    return reason('EXPOSED', messages.join('. '), hints.join(' '), this.#deps.now());
  }

  async #answersStrangers(live: LiveRun, listening: Listening | null): Promise<boolean> {
    // Another program may have taken the port: its answer says nothing about the bot.
    if (listening !== null && !listening.at.some(({ port }) => port === listening.queries?.port)) return false;
    const status = await statusFor(live.query ?? live.unit);
    return status !== null && status !== 401 && status !== 403;
  }

  #tell(live: LiveRun, found: Reason): void {
    const { botId, run } = live;
    live.exposure = found;
    this.#deps.telemetry.hostLine(botId, 'warn', `${found.message}. ${found.hint ?? ''}`, run.runId);
    this.#deps.journal.change(botId, {}, { kind: 'exposed', runId: run.runId, why: found });
  }
}
