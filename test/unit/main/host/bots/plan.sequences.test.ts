import { describe, expect, it } from 'vitest';
import { Journal } from '../../../../../src/main/host/bots/journal.ts';
import { plan } from '../../../../../src/main/host/bots/plan.ts';
import type { Action } from '../../../../../src/main/host/bots/plan-types.ts';
import { tryOut, violationsAfter } from '../../../../support/model-commands.ts';
import type { INVARIANTS, Planted } from '../../../../support/model-world.ts';

/** Sequences that once violated an invariant: of releases before, or while the plan was written. */
const KEPT = [
  // What was started while the host recovered was recorded as ended, and the next host started a second program.
  'due scheduled 0; die soon overlap 16; update realtime 0; die realtime 0; pass realtime 0',
  // A failed bot whose last lines were not stored lost its reason with its engine, and stayed failed for no reason.
  'next start realtime 12; fail logs realtime 21; restart realtime 0; lose engine realtime 0',
];

describe('whatever happens to a host and its bots', () => {
  it('the invariants hold', { timeout: 120_000 }, async () => {
    await tryOut(4000);
  });

  it.each(KEPT)('they hold after %s', async (words) => {
    expect(await violationsAfter(words)).toEqual([]);
  });
});

/** A journal that stores changes of bots without the events that tell of them. */
const silent: Planted['journal'] = (real, store) =>
  Object.assign(Object.create(Journal.prototype), {
    change: (botId: string, change: object, extra: { readonly also?: () => void } = {}) =>
      store.transaction(() => {
        extra.also?.();
        store.bots.update(botId, change);
      }),
    add: real.add.bind(real),
    remove: real.remove.bind(real),
  });

/** One fault for each invariant, planted into what decides or stores. */
const PLANTED: Readonly<Record<keyof typeof INVARIANTS, Planted>> = {
  // A changed program is not ended before its successor starts.
  oneProgram: { plan: (bot, runs, facts, now) => plan(bot, facts.event.is === 'look' ? [] : runs, facts, now) },
  // The turn of a run comes twice.
  oneRunPerDueTime: {
    plan: (bot, runs, facts, now) =>
      plan(bot, runs, facts, now).flatMap((action): Action[] => (action.do === 'launch' ? [action, action] : [action])),
  },
  // A bot that was disabled is told to stop, and not stopped.
  stopsInTheEnd: {
    plan: (bot, runs, facts, now) =>
      plan(bot, runs, facts, now).filter((action) => action.do !== 'stop' || bot.enabled || bot.deleting),
  },
  // A bot that failed once is not tried again.
  runsInTheEnd: {
    plan: (bot, runs, facts, now) => {
      return plan(bot, runs, facts, now).filter((action) => action.do !== 'start' || bot.failures === 0);
    },
  },
  // The programs of a held bot are not ended.
  heldStaysHeld: {
    plan: (bot, runs, facts, now) =>
      plan(bot, runs, facts, now).filter((action) => action.do !== 'stop' || bot.hold === null),
  },
  noEventLost: { journal: silent },
  // Orphans are taken for gone.
  noStartBesideOrphan: {
    plan: (bot, runs, facts, now) => {
      const orphans = facts.orphans === 'mayRun' ? 'none' : facts.orphans;
      return plan(bot, runs, { ...facts, orphans }, now);
    },
  },
  // A deleted bot without a program is taken for one that shall run.
  deletedStaysDeleted: {
    plan: (bot, runs, facts, now) => {
      const isOver = bot.deleting && facts.event.is === 'look' && runs.length === 0;
      return plan(isOver ? { ...bot, deleting: false, enabled: true } : bot, runs, facts, now);
    },
  },
};

describe('a planted fault', () => {
  it.each(Object.entries(PLANTED))('violates %s', { timeout: 120_000 }, async (invariant, planted) => {
    await expect(tryOut(20_000, { planted })).rejects.toMatchObject({
      cause: expect.objectContaining({ message: expect.stringContaining(`${invariant}: `) }),
    });
  });
});
