import type { BotEvent } from '../../../contract/bot.ts';
import { keepsCrashing } from '../../../shared/health.ts';
import { isBrought, waitsForEngine } from '../../../shared/waiting-reasons.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { RunRow } from '../control/run-store.ts';
import { waitIncident } from '../control/staged-store.ts';
import type { AlarmFact, Recovery } from './alarm-fact.ts';
import { botWords, nameWords, reasonWords } from './words.ts';

/** A change of a bot as it is stored: its record before, null for one that is new or gone, and after. */
export interface StoredChange {
  readonly event: BotEvent;
  readonly before: BotRow | null;
  readonly after: BotRow;
}

/** What follows from a change of a bot for alarms. */
export interface Consequences {
  readonly facts: readonly AlarmFact[];
  readonly recoveries: readonly Recovery[];
  /** Incidents that end without a word, with the silences of the bot. */
  readonly closed: readonly string[];
  /** Set where nothing of the bot waits for its user any more: this incident ends without a word. */
  readonly settled: string | null;
}

/** Names of the incidents of a bot. */
export const incidentsOf = (botId: string): readonly string[] => [`failed:${botId}`, `loop:${botId}`];
/** While it lasts, runs of a bot have lost their network. */
const networkOf = (botId: string): string => `network:${botId}`;

export const silenceOf = (ruleId: string, botId: string): string => `silent:${ruleId}:${botId}`;

const NEXT_RUN = 'Its next run looks for the gate where that is then.';

/** Kinds of events that tell of guards, with their titles. */
const OF_GUARDS: ReadonlyMap<string, string> = new Map([
  ['guard_fired', 'A guard has fired'],
  ['guard_unknown', 'A guard cannot be computed'],
]);

/**
 * Decides what an event of a bot means for alarms. Pure. `run` is the run of the event; `lacksNetwork`: a run of the bot goes on after
 * it that has lost its network.
 */
export function consequencesOf(
  { event, before, after }: StoredChange,
  run: RunRow | null,
  lacksNetwork: boolean,
): Consequences {
  const { botId, userId, health } = after;
  const name = nameWords(after.name);
  const at = Date.parse(event.at);
  const fact = (what: Pick<AlarmFact, 'event' | 'title' | 'text'> & Partial<AlarmFact>): AlarmFact => ({
    userId,
    botId,
    at,
    source: `event:${event.event_id}:${what.event}`,
    ...what,
  });
  const facts: AlarmFact[] = [];
  const why = health.reason ?? after.reason;
  const isWorse = before !== null && health.failures > before.health.failures;
  const isDown = before !== null && after.status === 'failed' && before.status !== 'failed';
  const waitsNow = before !== null && waitsForEngine(after) && !waitsForEngine(before);
  const [failed, loop] = incidentsOf(botId);
  if (after.enabled && waitsNow) {
    const text = `${reasonWords(after.reason)} The host tries again by itself.`;
    const title = `${name} cannot start`;
    const told = { text, botText: botWords(after.reason), ...(failed === undefined ? {} : { incident: failed }) };
    facts.push(fact({ event: 'failed', title, ...told }));
  } else if (after.enabled && !isBrought(after.reason) && (isWorse || isDown)) {
    const text = `${reasonWords(why)}${after.status === 'failed' ? ' It is not tried again until something changes.' : ''}`;
    const told = { text, botText: botWords(why) };
    facts.push(
      fact({
        event: 'failed',
        title: `${name} failed`,
        ...told,
        ...(failed === undefined ? {} : { incident: failed }),
      }),
    );
    if (keepsCrashing(health)) {
      const title = `${name} crashes again and again (${health.failures} times)`;
      facts.push(fact({ event: 'crash_loop', title, ...told, ...(loop === undefined ? {} : { incident: loop }) }));
    }
  }
  if (event.kind === 'duplicate_order') {
    const text =
      'It has placed an order for a decision that it had placed another order for. `platform ledger orders` shows both.';
    facts.push(
      fact({
        event: 'duplicate_order',
        title: `${name} has placed an order twice`,
        text,
        botText: botWords(event.reason),
      }),
    );
  }
  if (event.kind === 'egress_blocked') {
    const { message = '', hint = null } = event.reason ?? {};
    const why = hint === null ? '' : ` (${hint})`;
    const text = `${message}${why}. If you did not expect this, stop the bot: a package in it may be giving your data away. \`platform bot network\` shows to whom it spoke.`;
    facts.push(fact({ event: 'egress_blocked', title: `The gate has refused a connection of ${name}`, text }));
  }
  if (event.kind === 'network_lost') {
    const text = `${event.reason?.message ?? ''}. ${event.reason?.hint ?? ''}`;
    const title = `${name} has lost its network`;
    facts.push(fact({ event: 'network_lost', title, text, incident: networkOf(botId) }));
  }
  if (event.kind === 'arming_ends') {
    const text = `${event.reason?.message ?? ''}. ${event.reason?.hint ?? ''}`;
    facts.push(fact({ event: 'arming_ends', title: `The arming of ${name} ends`, text }));
  }
  if (event.kind === 'change_waits') {
    const text = `An API key or an assistant asked for it. The bot goes on as it is until you approve or reject it: \`platform approvals show ${botId}\`.`;
    facts.push(
      fact({ event: 'change_waits', title: `A change of ${name} waits for you`, text, incident: waitIncident(botId) }),
    );
  }
  facts.push(...ofRun(event, run, name, fact));
  const ofGuard = OF_GUARDS.get(event.kind);
  if (ofGuard !== undefined) {
    const title = `${ofGuard}: ${name}`;
    // Limits and numbers of a guard are the host's words; a bot wrote none of them.
    facts.push(fact({ event: 'guard_fired', title, text: event.reason?.message ?? '' }));
  }
  const recovery = (what: string, incidents: readonly string[], title: string, text: string): Recovery => {
    return { userId, botId, at, source: `event:${event.event_id}:${what}`, incidents, title, text };
  };
  const isOver = event.kind === 'deleted' || !after.enabled;
  const isWell = before !== null && after.enabled && before.health.state !== 'ok' && health.state === 'ok';
  return {
    facts,
    recoveries: [
      ...(isWell ? [recovery('recovered', incidentsOf(botId), `${name} has recovered`, 'It is well again.')] : []),
      ...(event.kind === 'network_back' && !lacksNetwork
        ? [recovery('network', [networkOf(botId)], `${name} has its network again`, 'The gate runs again.')]
        : []),
      // The last run that had lost the gate has ended.
      ...(event.kind === 'run' && !lacksNetwork
        ? [recovery('network', [networkOf(botId)], `The run of ${name} without a network has ended`, NEXT_RUN)]
        : []),
    ],
    closed: isOver ? [...incidentsOf(botId), networkOf(botId)] : [],
    settled: isSettled(event, before, after) ? waitIncident(botId) : null,
  };
}

/** True once nothing of a bot waits any more, or what waits is outdated. A bot that is stopped may have something that waits. */
function isSettled({ kind }: BotEvent, before: BotRow | null, after: BotRow): boolean {
  if (kind === 'deleted' || kind === 'change_dropped' || kind === 'disarmed') return true;
  if (kind === 'held' && after.hold?.by === 'panic') return true;
  return before !== null && before.generation !== after.generation;
}

function ofRun(
  { kind }: BotEvent,
  run: RunRow | null,
  name: string,
  fact: (what: Pick<AlarmFact, 'event' | 'title' | 'text'> & Partial<AlarmFact>) => AlarmFact,
): AlarmFact[] {
  if (run === null) return [];
  const facts: AlarmFact[] = [];
  const { runId, scheduledAt, startedAt, endedAt, status } = run;
  if (run.trigger === 'catch_up' && scheduledAt !== null && startedAt !== null) {
    const text = `Its run was due at ${new Date(scheduledAt).toISOString()} and began at ${new Date(startedAt).toISOString()}.`;
    facts.push(fact({ event: 'run_late', title: `A run of ${name} began late`, text, source: `run:${runId}:late` }));
  }
  if (kind !== 'run' || endedAt === null) return facts;
  const title = `A run of ${name} took too long`;
  if (status === 'timed_out') {
    const text = 'It was ended when its time was over.';
    facts.push(fact({ event: 'run_too_slow', title, text, source: `run:${runId}:timed_out` }));
  } else if (startedAt !== null && run.trigger !== 'query' && scheduledAt !== null) {
    const slow = { event: 'run_too_slow', title, text: 'It has ended.', source: `run:${runId}:slow` } as const;
    facts.push(fact({ ...slow, tookMs: Math.max(0, endedAt - startedAt) }));
  }
  return facts;
}

/** The alarm for due times that no run followed. */
export function missedFact(
  bot: BotRow,
  dueTimes: readonly number[],
  more: number,
  at: number,
  code: string,
): AlarmFact {
  const count = dueTimes.length + more;
  const first = dueTimes[0] ?? at;
  const name = nameWords(bot.name);
  const when = new Date(first).toISOString();
  const why = code === 'OVERLAP' ? 'The run before was still going on.' : 'The host did not run then.';
  return {
    event: 'run_missed',
    userId: bot.userId,
    botId: bot.botId,
    at,
    source: `due:${bot.botId}:${first}`,
    title: count === 1 ? `${name} missed a run` : `${name} missed ${count} runs`,
    text: count === 1 ? `It was due at ${when}. ${why}` : `The first one was due at ${when}. ${why}`,
  };
}
