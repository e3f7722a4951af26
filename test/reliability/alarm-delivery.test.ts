import { expect, it } from 'vitest';
import { alarmsHere } from '../support/alarms-here.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const OUTAGES = rounds(3, 50);
const STORMS = rounds(1, 5);
const BOTS = 1000;
/** How a channel is away. */
const FAULTS = ['hang up', 'error', 'busy'] as const;

it('tells once, with the true time, when a channel was away for two hours', async () => {
  const random = new SeededRandom(testSeed());
  let [told, wrong, attempts] = [0, 0, 0];
  const here = alarmsHere();
  const hook = await here.webhook();
  for (let round = 0; round < OUTAGES; round++) {
    hook.received.length = 0;
    hook.answer = () => {
      const fault = random.pick(FAULTS);
      if (fault === 'hang up') return 'hang up';
      return fault === 'error' ? { status: 503 } : { status: 429, headers: { 'retry-after': '90' } };
    };
    const at = here.clock.ms;
    here.fail();
    const retry = (): number => Date.parse(here.alarms.channels('user_1')[0]?.retry_at ?? '');
    await here.settle();
    while (retry() < at + 2 * HOUR) {
      here.clock.ms = retry();
      // A host that is restarted meanwhile goes on.
      if (random.below(4) === 0) await here.restart();
      await here.settle();
    }
    attempts += hook.received.length;
    hook.received.length = 0;
    hook.answer = () => ({ status: 200 });
    here.clock.ms = retry();
    await here.settle();
    here.clock.ms += HOUR;
    await here.settle();
    told += hook.received.length;
    const [message] = hook.bodies;
    const isTrue = message?.at === new Date(at).toISOString() && String(message?.late).includes(message?.at);
    if (hook.received.length !== 1 || !isTrue) wrong += 1;
    here.recover();
    await here.settle();
    here.clock.ms += MINUTE;
  }
  expect({ told, wrong }).toEqual({ told: OUTAGES, wrong: 0 });
  await prove('R52', 'Channel away for 2 h', { outages: OUTAGES, attempts, told, 'wrong time': wrong });
});

it('tells a thousand failures at once in at most 12 messages, which name them all once', async () => {
  let most = 0;
  let lost = 0;
  let twice = 0;
  for (let storm = 0; storm < STORMS; storm++) {
    const here = alarmsHere();
    const hook = await here.webhook();
    for (let n = 0; n < BOTS; n++) here.addBot(`many_${n}`);
    for (let n = 0; n < BOTS; n++) {
      here.fail(`many_${n}`);
      if (n % 100 === 0) await here.settle();
    }
    for (let n = 0; n < 20; n++) {
      await here.settle();
      here.clock.ms += 15_000;
    }
    const told = hook.bodies.flatMap(({ items }) => items.map(({ bot_id }: { bot_id: string }) => bot_id));
    most = Math.max(most, hook.received.length);
    lost += BOTS - new Set(told).size;
    twice += told.length - new Set(told).size;
  }
  expect(most).toBeLessThanOrEqual(12);
  expect({ lost, twice }).toEqual({ lost: 0, twice: 0 });
  await prove('R53', `${BOTS} failures at once`, { storms: STORMS, 'most messages': most, lost, twice });
});
