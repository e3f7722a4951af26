import { beforeEach, describe, expect, it } from 'vitest';
import type { ArmedSubject } from '../../../../../src/main/host/arming/armed-hashes.ts';
import { Armings, UPGRADE_MS } from '../../../../../src/main/host/arming/armings.ts';
import type { ArmingRow, ArmingStore, ExistingBot } from '../../../../../src/main/host/control/arming-store.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import { type GuardSpec, readSpec } from '../../../../../src/main/host/guards/guard-spec.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const START = Date.parse('2026-01-01T00:00:00.000Z');

/** A table in memory. */
function storeOf(rows: Map<string, ArmingRow>): ArmingStore & { before: ReadonlyMap<string, ExistingBot> | null } {
  return {
    before: null,
    get: (botId) => rows.get(botId) ?? null,
    all: () => [...rows.values()],
    put: (row) => void rows.set(row.botId, row),
    remove: (botId) => void rows.delete(botId),
    existing() {
      return this.before;
    },
    existingArmed() {
      this.before = null;
    },
  };
}

const bot = (over: Partial<BotRow> = {}): BotRow =>
  ({
    botId: 'bot_1',
    name: 'sma',
    version: '1.0.0',
    config: { key: 'live' },
    enabled: true,
    deleting: false,
    trash: null,
    epoch: 3,
    generation: 5,
    ...over,
  }) as BotRow;

let now: number;
let guards: readonly GuardSpec[];
let rows: Map<string, ArmingRow>;
let store: ReturnType<typeof storeOf>;
let armings: Armings;

const subjectOf = ({ version, config }: BotRow): ArmedSubject | null =>
  config.key === 'live'
    ? { versionHash: version, config, secrets: [{ name: 'KEY', class: 'live' }], permits: null }
    : null;

beforeEach(() => {
  now = START;
  guards = [];
  rows = new Map();
  store = storeOf(rows);
  armings = new Armings({ store, hostKey: 'key', subjectOf, guardsOf: () => guards, now: () => now });
});

/** What the bot was at the upgrade. */
const WAS: ExistingBot = { epoch: 3, generation: 5 };

const state = (of = bot()) => armings.shown(of)?.state ?? null;
const arm = (days = 30, stop_at_expiry = false, of = bot()) =>
  armings.arm(of, { for_sec: days * 86_400, stop_at_expiry, if_generation: 1 }, 'ada');
const refused = { code: 'NEEDS_ARMING' };

describe('a bot with a live secret', () => {
  it('starts in no way before it is armed', () => {
    expect(state()).toBe('unarmed');
    expect(() => armings.checkProgram(bot())).toThrow(expect.objectContaining(refused));
    expect(() => armings.checkByHand(bot())).toThrow(expect.objectContaining(refused));
    for (const by of ['host', 'hand'] as const) expect(armings.waitFor(bot(), by)).toMatchObject(refused);
  });

  it('starts once it is armed, with what was armed and nothing else', () => {
    arm();
    expect(state()).toBe('armed');
    armings.checkProgram(bot());
    armings.checkByHand(bot());
    const other = bot({ version: '1.0.1' });
    expect(armings.shown(other)).toMatchObject({ state: 'changed', message: 'its version changed since it was armed' });
    expect(() => armings.checkProgram(other)).toThrow(expect.objectContaining(refused));
    armings.disarm('bot_1');
    expect(state()).toBe('unarmed');
  });

  it('goes on after the end of its arming, while starts by hand end', () => {
    arm(1);
    now += DAY_MS;
    expect(state()).toBe('expired');
    armings.checkProgram(bot());
    expect(() => armings.checkByHand(bot())).toThrow(expect.objectContaining(refused));
  });

  it('ends with its arming if the person chose that', () => {
    arm(1, true);
    now += DAY_MS;
    expect(() => armings.checkProgram(bot())).toThrow(expect.objectContaining(refused));
  });

  it('ends with its arming on a full disk, too', () => {
    arm(1, true);
    now += DAY_MS;
    store.put = () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    expect(armings.tick()).toMatchObject([{ botId: 'bot_1', left: 0, stops: true }]);
  });

  it('goes on under another name, however its arming stands', () => {
    const brought = bot({ enabled: true });
    expect(armings.afterChange(brought, bot({ name: 'other' }))).toBe('goes on');
    arm();
    const changed = bot({ version: '1.0.1' });
    expect(armings.afterChange(changed, bot({ version: '1.0.1', name: 'other' }))).toBe('goes on');
    expect(armings.afterChange(changed, bot({ version: '1.0.2' }))).toBe('waits');
  });

  it('stays at the end of its arming when the clock is set back', () => {
    arm(1);
    now += 2 * DAY_MS;
    armings.tick();
    now = START;
    expect(state()).toBe('expired');
    arm(1);
    expect(state()).toBe('armed');
  });

  it('is not armed any more with a looser guard, until the person who loosened it has entered their PIN', () => {
    guards = [readSpec({ bot_id: 'bot_1', kind: 'daily_loss', limit: '100' })];
    arm();
    guards = [readSpec({ bot_id: 'bot_1', kind: 'daily_loss', limit: '200' })];
    expect(state()).toBe('loosened');
    armings.followGuards('bot_1');
    expect(state()).toBe('armed');
  });

  it('is not armed by a guard that a person loosened, where its version has changed', () => {
    arm();
    armings.followGuards('bot_1');
    expect(state(bot({ version: '2.0.0' }))).toBe('changed');
  });
});

describe('a change of a bot', () => {
  const next = bot({ version: '1.0.1' });

  it('without live secrets asks for nothing', () => {
    const paper = bot({ config: { key: 'paper' } });
    expect(armings.shown(paper)).toBeNull();
    expect(armings.waitFor(paper, 'hand')).toBeNull();
    expect(armings.afterChange(paper, bot({ config: { key: 'paper' }, version: '2.0.0' }))).toBe('goes on');
    expect(() => arm(1, false, paper)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  it('of an armed one needs a person, and its arming follows and ends when it would have', () => {
    arm(2);
    now += DAY_MS;
    expect(armings.afterChange(bot(), next)).toBe('needs a person');
    armings.follow(next, 'bob');
    expect(armings.shown(next)).toMatchObject({ state: 'armed', armed_by: 'bob', until: '2026-01-03T00:00:00.000Z' });
  });

  it('that runs the same goes on', () => {
    arm(1);
    expect(armings.afterChange(bot(), bot({ name: 'other' }))).toBe('goes on');
    now += DAY_MS;
    expect(armings.afterChange(bot(), bot({ name: 'other' }))).toBe('goes on');
  });

  it('is refused once the arming has ended, so that the program that runs goes on', () => {
    arm(1);
    now += DAY_MS;
    expect(() => armings.afterChange(bot(), next)).toThrow(expect.objectContaining(refused));
  });

  const stopped = (over: Partial<BotRow> = {}) => bot({ enabled: false, ...over });

  it('leaves what runs, and when, as it is once the arming has ended: only its name may change, and it may stop', () => {
    arm(1);
    const changes: Partial<BotRow>[] = [
      { schedule: '* * * * *' },
      { timezone: 'Asia/Tokyo' },
      { options: {} },
      { engine: 'docker' },
    ];
    for (const change of changes) expect(armings.afterChange(bot(), bot(change))).toBe('goes on');
    expect(() => armings.checkNotEnded(bot())).not.toThrow();
    now += DAY_MS;
    for (const change of [...changes, { config: { key: 'paper' } }]) {
      const of = JSON.stringify(change);
      expect(() => armings.afterChange(bot(), bot(change)), of).toThrow(expect.objectContaining(refused));
    }
    expect(() => armings.checkNotEnded(stopped())).toThrow(expect.objectContaining(refused));
    expect(armings.afterChange(bot(), bot({ name: 'other' }))).toBe('goes on');
    expect(armings.afterChange(bot(), stopped())).toBe('goes on');
  });

  it('of an armed one that is stopped needs a person, and its arming follows', () => {
    arm();
    expect(armings.afterChange(stopped(), stopped({ version: '1.0.1' }))).toBe('needs a person');
    expect(armings.afterChange(bot(), stopped({ version: '1.0.1' }))).toBe('needs a person');
    expect(armings.afterChange(stopped(), stopped({ schedule: '* * * * *' }))).toBe('goes on');
    armings.follow(stopped({ version: '1.0.1' }), 'ada');
    expect(state(bot({ version: '1.0.1' }))).toBe('armed');
  });

  it('of an armed one that is stopped may start it besides, where a person makes it', () => {
    arm();
    expect(armings.afterChange(stopped(), next)).toBe('needs a person');
    armings.follow(next, 'ada');
    expect(() => armings.checkByHand(next)).not.toThrow();
    // One that is not armed as it is needs an arming, not a change.
    expect(() => armings.afterChange(stopped({ version: '3.0.0' }), bot({ version: '4.0.0' }))).toThrow(
      expect.objectContaining(refused),
    );
    now += 31 * DAY_MS;
    expect(() => armings.afterChange(stopped({ version: next.version }), bot())).toThrow(
      expect.objectContaining(refused),
    );
  });

  it('that brings a bot back to what was armed needs a person, whether it is stopped or starts with it', () => {
    arm();
    const changed = stopped({ version: '1.0.1' });
    expect(armings.afterChange(changed, stopped({ version: '1.0.2' }))).toBe('goes on');
    expect(armings.afterChange(changed, stopped({ schedule: '* * * * *' }))).toBe('needs a person');
    expect(armings.afterChange(changed, bot({ schedule: '* * * * *' }))).toBe('needs a person');
    expect(armings.afterChange(stopped({ config: { key: 'paper' } }), bot())).toBe('needs a person');
  });

  it('that takes the last live secret away ends the arming with it', () => {
    const paper = stopped({ config: { key: 'paper' } });
    arm();
    expect(armings.afterChange(bot(), bot({ config: { key: 'paper' } }))).toBe('ends');
    expect(armings.afterChange(stopped(), paper)).toBe('ends');
    expect(armings.remembers('bot_1')).toBe(true);
    armings.disarm('bot_1');
    expect(armings.remembers('bot_1')).toBe(false);
    expect(armings.afterChange(paper, stopped({ config: { key: 'paper' }, version: '2.0.0' }))).toBe('goes on');
  });

  it('that gives a running bot a live secret has it wait', () => {
    expect(armings.afterChange(bot({ config: { key: 'paper' } }), bot())).toBe('waits');
  });

  it('that enables one without a matching arming is a start by hand', () => {
    expect(() => armings.afterChange(bot({ enabled: false }), bot())).toThrow(expect.objectContaining(refused));
  });
});

describe('the end of an arming', () => {
  /** Advances hour by hour, as a host that looks each minute does, and collects what is told. */
  function told(hours: number): number[] {
    const left: number[] = [];
    for (let hour = 0; hour < hours; hour++) {
      now += HOUR_MS;
      for (const near of armings.tick()) {
        if (near.told === null) continue;
        left.push(near.left / HOUR_MS);
        armings.toldOf(near);
      }
    }
    return left;
  }

  it('is told 3 days, 1 day and 1 hour before, and when it comes', () => {
    arm(30);
    expect(told(31 * 24)).toEqual([72, 24, 1, 0]);
  });

  it('is told but once after a host that was off', () => {
    arm(30);
    now += 40 * DAY_MS;
    expect(told(3)).toEqual([0]);
  });

  it('is not told at once to who arms for a short time', () => {
    arm(1);
    expect(told(25)).toEqual([1, 0]);
  });

  it('is told anew after another arming', () => {
    arm(1);
    expect(told(25)).toEqual([1, 0]);
    arm(1);
    expect(told(25)).toEqual([1, 0]);
  });
});

describe('the upgrade', () => {
  it('arms what holds live secrets, once, for 90 days, and asks for a look', () => {
    store.before = new Map(['bot_1', 'bot_2', 'bot_3'].map((id) => [id, WAS]));
    const paper = bot({ botId: 'bot_2', config: { key: 'paper' } });
    expect(armings.armExisting([bot(), paper, bot({ botId: 'bot_3', deleting: true })])).toEqual([bot()]);
    expect(armings.shown(bot())).toMatchObject({ state: 'armed', for_review: true });
    expect(rows.get('bot_1')?.until).toBe(START + UPGRADE_MS);
    expect([...rows.keys()]).toEqual(['bot_1']);
    armings.disarm('bot_1');
    expect(armings.armExisting([bot()])).toEqual([]);
  });

  it('arms nothing that came or changed since, while the host had not the key of its secrets', () => {
    // A key changes when a bot runs that nobody has armed, and its epoch stays.
    for (const was of [
      { ...WAS, epoch: 2 },
      { ...WAS, generation: 4 },
    ]) {
      store.before = new Map([['bot_1', was]]);
      expect(armings.armExisting([bot(), bot({ botId: 'bot_new' })])).toEqual([]);
    }
    expect(rows.size).toBe(0);
  });

  it('calls its runs what they were until a person has armed it', () => {
    store.before = new Map([['bot_1', WAS]]);
    armings.armExisting([bot()]);
    expect(armings.modeOf('bot_1')).toBe('unverified');
    arm();
    expect(armings.modeOf('bot_1')).toBe('live');
    expect(armings.shown(bot())?.for_review).toBe(false);
  });
});
