import { expect, it } from 'vitest';
import { PlatformError } from '../../src/contract/errors.ts';
import type { ArmedSubject } from '../../src/main/host/arming/armed-hashes.ts';
import { Armings } from '../../src/main/host/arming/armings.ts';
import { createArmingStore, voidArmings } from '../../src/main/host/control/arming-store.ts';
import type { BotRow } from '../../src/main/host/control/bot-store.ts';
import { type GuardSpec, readSpec } from '../../src/main/host/guards/guard-spec.ts';
import { botRow } from '../support/bot-row.ts';
import { folderOfRelease, openControl } from '../support/folder-of-release.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';

/**
 * Sequences of what persons, keys, clocks and restores do to a bot with a live secret, against a model in two lines: a person armed
 * exactly this, and it has not been taken away since. After each step the host asks whether a program may start.
 */
const SEQUENCES = rounds(1_000, 100_000);
const STEPS = 10;
const DAY_MS = 86_400_000;

/** What a person armed, as a text, with the limit of its guard. */
interface Armed {
  readonly what: string;
  readonly limit: number;
  readonly stops: boolean;
  until: number;
  seen: number;
}

const guard = (limit: string) => readSpec({ bot_id: 'bot_1', kind: 'daily_loss', limit });
const mayStart = (check: () => void): boolean => {
  try {
    check();
    return true;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'NEEDS_ARMING') throw error;
    return false;
  }
};

it('a live secret enters a program only with what a person armed, in any order of what may happen', async () => {
  const db = openControl(folderOfRelease({ bots: ['bot_1'] }));
  // One transaction for all: what counts is what is stored, not when it reaches the disk.
  db.exec('begin');
  const store = createArmingStore(db);
  // The bot is none from before armings.
  store.existingArmed();
  const seed = testSeed();
  const random = new SeededRandom(seed);
  const counted = { starts: 0, refused: 0, goesOn: 0 };
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    db.exec('delete from arming');
    let now = 1_000 * DAY_MS;
    let bot: BotRow = botRow({ config: { symbol: 'BTC' } });
    let guards: readonly GuardSpec[] = [guard('100')];
    let secret: 'live' | 'paper' = 'live';
    const subjectOf = ({ version, config }: BotRow): ArmedSubject | null =>
      secret === 'live'
        ? { versionHash: version, config, secrets: [{ name: 'KEY', class: secret }], permits: null }
        : null;
    let armings = new Armings({ store, hostKey: 'key', subjectOf, guardsOf: () => guards, now: () => now });
    /** Null once it was taken away. */
    let armed = null as Armed | null;
    const what = (): string => JSON.stringify([bot.version, bot.config, secret]);
    const limit = (): number => Number(guards[0]?.limit ?? Number.POSITIVE_INFINITY);
    const trail: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      const did = random.pick([
        'arm',
        'disarm',
        'version',
        'config',
        'asPerson',
        'tighten',
        'loosen',
        'clock',
        'restore',
        'host',
        'class',
        'reset',
      ] as const);
      trail.push(did);
      if (did === 'arm' && secret === 'live') {
        const days = 1 + random.below(3);
        const stops = random.below(2) === 0;
        armings.arm(bot, { for_sec: days * 86_400, stop_at_expiry: stops, if_generation: 1 }, 'ada');
        armed = { what: what(), limit: limit(), until: now + days * DAY_MS, seen: now, stops };
      } else if (did === 'disarm') {
        armings.disarm('bot_1');
        armed = null;
      } else if (did === 'version') bot = { ...bot, version: random.pick(['1.0.0', '1.0.1']) };
      else if (did === 'config') bot = { ...bot, config: { symbol: random.pick(['BTC', 'ETH']) } };
      else if (did === 'asPerson') {
        // As the host makes a change: asked first, and followed only where a person answers for it.
        const next = { ...bot, version: random.pick(['1.0.0', '1.0.1']) };
        let found: string = 'refused';
        try {
          found = armings.afterChange(bot, next);
        } catch (error) {
          if (!(error instanceof PlatformError) || error.code !== 'NEEDS_ARMING') throw error;
        }
        if (found === 'needs a person') {
          armings.follow(next, 'ada');
          bot = next;
          if (armed !== null) armed = { ...armed, what: what(), limit: limit() };
        } else if (found !== 'refused') bot = next;
      } else if (did === 'tighten') guards = [guard('50')];
      else if (did === 'loosen') {
        guards = random.below(2) === 0 ? [guard('200')] : [];
        // Only a person with a PIN loosens one, and then the arming follows: half of the time something else did it.
        if (random.below(2) === 0) {
          armings.followGuards('bot_1');
          if (armed !== null) armed = { ...armed, limit: limit() };
        }
      } else if (did === 'clock') {
        now += (random.below(7) - 3) * DAY_MS;
        armings.tick();
        if (armed !== null) armed.seen = Math.max(armed.seen, now);
      } else if (did === 'restore') {
        db.transaction(() => voidArmings(db))();
        armed = null;
      } else if (did === 'host') {
        armings = new Armings({ store, hostKey: 'key', subjectOf, guardsOf: () => guards, now: () => now });
        expect(armings.armExisting([bot])).toEqual([]);
      } else if (did === 'class') secret = random.pick(['live', 'live', 'paper'] as const);
      else if (did === 'reset') {
        armings.endNow('bot_1');
        if (armed !== null) armed.until = Math.min(armed.until, Math.max(armed.seen, now));
      }
      const isSame = armed !== null && armed.what === what() && limit() <= armed.limit;
      const isOver = armed !== null && Math.max(armed.seen, now) >= armed.until;
      const byHost = secret === 'paper' || (isSame && !(isOver && armed?.stops));
      const byHand = secret === 'paper' || (isSame && !isOver);
      const found = [
        mayStart(() => armings.checkProgram(bot)),
        mayStart(() => armings.checkByHand(bot)),
        armings.waitFor(bot, 'host') === null,
        armings.waitFor(bot, 'hand') === null,
      ];
      const isRight = JSON.stringify(found) === JSON.stringify([byHost, byHand, byHost, byHand]);
      if (!isRight) {
        const told = `seed ${seed}, sequence ${sequence}: ${trail.join(' ')}`;
        expect(found, told).toEqual([byHost, byHand, byHand]);
      }
      if (secret === 'paper') continue;
      counted[byHand ? 'starts' : byHost ? 'goesOn' : 'refused'] += 1;
    }
  }
  db.exec('rollback');
  db.close();
  for (const count of Object.values(counted)) expect(count).toBeGreaterThan(SEQUENCES / 50);
  await prove('arming-sequences', 'sequences of what may happen to a bot with a live secret', {
    sequences: SEQUENCES,
    ...counted,
  });
}, 1_800_000);
