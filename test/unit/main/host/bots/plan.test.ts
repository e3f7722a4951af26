import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plan } from '../../../../../src/main/host/bots/plan.ts';
import type { Action, Facts, PlanEvent } from '../../../../../src/main/host/bots/plan-types.ts';
import { aBot, aRun, EVENTS, GROUPS, NOW, STATES } from '../../../../support/plan-table.ts';

interface Line {
  readonly event: string;
  readonly states: readonly string[];
  readonly actions: string;
}

const source = readFileSync(resolve(import.meta.dirname, '../../../../../src/main/host/bots/plan.ts'), 'utf8');
/** The lines of the table in the comment of `plan`. */
const lines: readonly Line[] = [...source.matchAll(/^ \* \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
  .map(([, event = '', states = '', actions = '']): Line => {
    const named = states.trim().split('; ');
    return { event: event.trim(), states: named.flatMap((one) => GROUPS[one] ?? [one]), actions: actions.trim() };
  })
  .slice(2);

/** The actions that the table names for an event in a state. */
function toldFor(event: string, state: string): string | undefined {
  const line = lines.find((one) => one.event === event && one.states.includes(state));
  return line?.actions.startsWith('as ') === true ? toldFor(line.actions.slice(3), state) : line?.actions;
}

describe('the table of the plan', () => {
  it.each(Object.entries(EVENTS))('is what happens on %s, in every state', (name, event) => {
    const states = Object.entries(STATES);
    const planned = states.map(([state, { bot, runs, facts }]) => {
      const actions = plan(bot, runs, { ...facts, event }, NOW);
      return [state, actions.map((action) => action.do).join(' ') || '-'];
    });
    expect(planned).toEqual(states.map(([state]) => [state, toldFor(name, state)]));
  });

  it('names no other event and no other state, and no line in vain', () => {
    expect(lines.filter(({ event }) => EVENTS[event] === undefined)).toEqual([]);
    expect(lines.flatMap(({ states }) => states.filter((state) => STATES[state] === undefined))).toEqual([]);
    const used = new Set(
      Object.keys(EVENTS).flatMap((event) =>
        Object.keys(STATES).map((state) => lines.find((one) => one.event === event && one.states.includes(state))),
      ),
    );
    expect(lines.filter((line) => !used.has(line))).toEqual([]);
  });
});

/** The plan for a state of the table, with some of it changed. */
function planned(state: string, event: PlanEvent, change: Partial<Facts> = {}, bot: object = {}): readonly Action[] {
  const found = STATES[state];
  if (found === undefined) throw new RangeError(`no state "${state}"`);
  return plan({ ...found.bot, ...bot }, found.runs, { ...found.facts, event, ...change }, NOW);
}

const LOOK: PlanEvent = { is: 'look', trigger: 'update' };

const STARTS_UNRECORDED = { do: 'start', change: null };
const PREPARES_UNSHOWN = { do: 'prepare', show: false };

describe('what the plan says of its actions', () => {
  it.each([
    ['update', 0, { trigger: 'update', change: { status: 'starting', nextAttemptAt: null } }],
    ['update', 2, { trigger: 'recovery', change: { status: 'starting', nextAttemptAt: null, restarts: 1 } }],
    // A person's restart is told as such, whatever failed before it.
    ['restart', 2, { trigger: 'restart', change: { status: 'starting', nextAttemptAt: null } }],
  ] as const)('a start by %s after %i failures', (trigger, failures, expected) => {
    const actions = planned('ready', { is: 'look', trigger }, {}, { failures });
    expect(actions.at(-1)).toEqual({ do: 'start', ...expected });
  });

  it.each(['ready', 'unready'])('a start that waited for its engine is neither a restart nor shown: %s', (state) => {
    const reason = { code: 'ISOLATION_REQUIRED', message: '', hint: null, at: '' };
    const [, action] = planned(state, LOOK, {}, { status: 'backing_off', failures: 2, reason });
    expect(action).toEqual({ trigger: 'update', ...(state === 'ready' ? STARTS_UNRECORDED : PREPARES_UNSHOWN) });
  });

  it.each([
    ['is set for the rest of the wait', NOW + 5000, 'none', { do: 'setTimer', ms: 5000 }],
    ['is over by the steady clock, though the wall clock was set back', NOW + 5000, 'over', { do: 'clearTimer' }],
    ['is over by the wall clock', NOW - 1, 'none', { do: 'clearTimer' }],
    ['waits for no time that was written before the clock was set back', NOW + 400_000, 'none', { do: 'clearTimer' }],
  ] as const)('a restart timer %s', (_, nextAttemptAt, restartTimer, first) => {
    expect(planned('waiting', LOOK, { restartTimer }, { nextAttemptAt })[0]).toEqual(first);
  });

  it('a full disk keeps no unwanted program running, and ends none that is to be replaced', () => {
    const stopping = { do: 'record', change: { status: 'stopping' }, runId: 'run_1' };
    expect(planned('to stop', LOOK)).toContainEqual({ ...stopping, evenOnFullDisk: true });
    expect(planned('outdated', LOOK)).toContainEqual(stopping);
  });

  it('the first reason to end a run counts', () => {
    const [bot, event] = [aBot({ status: 'running' }), { is: 'overtime', runId: 'run_1' } as const];
    const of = (intent: 'none' | 'stop') => {
      const facts = { ...STATES.running?.facts, event } as Facts;
      return plan(bot, [aRun({ intent })], facts, NOW).map((action) => ('intent' in action ? action.intent : null));
    };
    expect([of('none'), of('stop')]).toEqual([['timeout'], ['stop']]);
  });

  it('a run by hand goes on beside a schedule that is off, until a person stops the bot', () => {
    expect(planned('by hand', LOOK)).toEqual([]);
    expect(planned('by hand', LOOK, {}, { status: 'stopping' })).toMatchObject([{ do: 'stop', intent: 'stop' }]);
  });

  it('an orphan fails its bot, which starts again once the orphan is gone', () => {
    const reason = { code: 'NOT_ADOPTED' };
    expect(planned('orphaned', LOOK)[0]).toMatchObject({ change: { status: 'failed', reason } });
    expect(planned('freed', LOOK)[0]).toMatchObject({ change: { status: 'starting', reason: null, failures: 0 } });
  });

  it('a scheduled bot is prepared ahead of its due time, but not with each look at all bots', () => {
    expect(planned('idle', LOOK, { preparation: 'needed' })).toEqual([{ do: 'prepareAhead' }]);
    expect(planned('idle', { is: 'pass' }, { preparation: 'needed' })).toEqual([]);
  });

  it('nobody is told that a deletion takes long who does not wait for it', () => {
    expect(planned('deleted, stuck', LOOK, { deletionWaiters: false })).toEqual([]);
  });

  it('a bot that is stopped says so, unless its reason says more', () => {
    const reasonFor = (code: string) => {
      const reason = { code, message: '', hint: null, at: '' };
      return planned('off', LOOK, {}, { status: 'running', reason }).flatMap((action) => {
        return action.do === 'record' ? [action.change.reason?.code, action.isOver] : [];
      });
    };
    expect([reasonFor('EXIT_CODE'), reasonFor('COPIED')]).toEqual([
      ['DISABLED', true],
      ['COPIED', true],
    ]);
  });
});
