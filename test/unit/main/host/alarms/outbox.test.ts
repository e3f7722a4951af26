import { describe, expect, it } from 'vitest';
import type { BotHold } from '../../../../../src/contract/bot.ts';
import { newRun } from '../../../../../src/main/host/bots/new-run-row.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import { alarmsHere, NOON } from '../../../../support/alarms-here.ts';
import { botRow } from '../../../../support/bot-row.ts';

it('stores message and event together, or neither', async () => {
  const here = alarmsHere();
  await here.webhook();
  const count = (): unknown => here.db.prepare("select count(*) as n from alarm where event = 'failed'").get();
  expect(() =>
    here.db.transaction(() => {
      here.fail();
      expect(count()).toEqual({ n: 1 });
      throw new Error('the host dies here');
    })(),
  ).toThrow('the host dies here');
  expect(count()).toEqual({ n: 0 });
  expect(here.store.incident('user_1', 'failed:bot_1')).toBeNull();
});

it('begins every user with rules that make sense', () => {
  const here = alarmsHere();
  expect(here.alarms.rules('user_1').map(({ sentence }) => sentence)).toEqual([
    'Tell me over all channels when a bot fails, a run is missed, a run takes too long or the arming of a bot ends.',
    'Tell me over all channels when a bot crashes again and again, a bot places an order twice, a guard fires or a bot loses its network.',
    'Tell me over all channels when the disk of the host runs full, an engine does not answer, a backup fails, the host comes back after a crash or the clock of the host jumps.',
    'Tell me over all channels when the machine of the host has slept.',
    'Tell me over all channels when the gate refuses a connection of a bot.',
    'Tell me over all channels when somebody logs in as you or gets a key of yours.',
    'Tell me over all channels when a change of an armed bot waits for you; at most every 10 min.',
  ]);
  here.removeRules();
  expect(here.alarms.rules('user_1')).toEqual([]);
});

it('tells at most as often as the rule says', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  here.removeRules();
  here.rule({ on: ['failed'], at_most_every_sec: 600 });
  for (let n = 0; n < 3; n++) {
    here.fail();
    here.recover();
    here.clock.ms += 250_000;
  }
  await here.settle();
  here.clock.ms += 61_000;
  here.fail();
  await here.settle();
  const failed = hook.bodies.flatMap(({ items }) => items).filter(({ event }) => event === 'failed');
  expect(failed.length).toBe(2);
  expect(here.log().map(({ note }) => note)).toContain(
    'It was told a short time ago, and the rule says how often at most.',
  );
});

it('keeps the words of a bot at home, and sends them masked, short and on one line where a rule asks for them', async () => {
  const secret = 'sk_live_9f8a7b6c5d4e3f2a1b0c';
  const here = alarmsHere({ secretsOf: () => [secret] });
  const hook = await here.webhook();
  const words = `bad **key** ${secret}\n\u202e<@everyone> ${'x'.repeat(500)}`;
  here.fail('bot_1', 'BOT_ERROR', words);
  await here.settle();
  expect(hook.received[0]?.body).not.toContain('key**');
  here.recover();
  here.removeRules();
  here.rule({ on: ['failed'], with_text: true });
  here.fail('bot_1', 'BOT_ERROR', words);
  await here.settle();
  const { text } = hook.bodies.at(-1);
  expect(text).toMatch(/^BOT_ERROR\.\nIt said: bad \*\*key\*\* /);
  const said = text.slice(text.indexOf('It said: ') + 9);
  expect([...said].length).toBe(200);
  expect(said).not.toMatch(/\p{Cc}|\u202e/u);
  expect(hook.received.map(({ body }) => body).join('')).not.toContain(secret);
});

it('tells only of the bots, over the channels and to the user that a rule names', async () => {
  const here = alarmsHere();
  const [first, second] = [await here.webhook('first'), await here.webhook('second')];
  here.db.exec("update user set role = 'owner' where user_id = 'user_2'");
  const foreign = await here.webhook('theirs', 'user_2');
  here.addBot('bot_2');
  here.removeRules();
  const [, channel] = here.alarms.channels('user_1');
  here.rule({ on: ['failed'], bots: ['bot_2'], channels: [channel?.channel_id ?? ''] });
  here.fail('bot_1');
  here.fail('bot_2');
  await here.settle();
  expect(first.received.length + foreign.received.length).toBe(0);
  expect(second.bodies.map(({ title }) => title)).toEqual(['bot_2 failed']);
});

it('closes an incident without a word when its bot is stopped', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  here.fail();
  here.journal.change('bot_1', { enabled: false, status: 'stopped' });
  here.journal.change('bot_1', { enabled: true, status: 'running' });
  here.recover();
  await here.settle();
  expect(hook.bodies.map(({ title }) => title)).toEqual(['sma live failed']);
});

const HOLD: BotHold = {
  ...{ hold_id: 'hold_1', by: 'panic', since: new Date(NOON).toISOString(), guard_id: null, who: 'ann', message: '' },
};

describe('a change that waits', () => {
  function waiting(bot: Partial<BotRow> = {}) {
    const here = alarmsHere();
    here.journal.change('bot_1', bot);
    const ask = (): void => here.journal.change('bot_1', {}, { kind: 'change_waits' });
    const raised = (): number => here.alarms.log('user_1', { botId: null }).items.length;
    return { here, ask, raised };
  }

  it('is told once, whatever takes its place, and again after it was settled', async () => {
    const { here, ask } = waiting();
    const hook = await here.webhook();
    ask();
    ask();
    here.journal.change('bot_1', {}, { kind: 'change_dropped' });
    here.clock.ms += 600_000;
    ask();
    await here.settle();
    expect(
      hook.bodies.flatMap(({ title, alarms }) => alarms?.map((one: { title: string }) => one.title) ?? [title]),
    ).toEqual(['A change of sma live waits for you', 'A change of sma live waits for you']);
  });

  it.each(['change_dropped', 'disarmed', 'deleted'] as const)('is raised anew after %s', (kind) => {
    const { here, ask, raised } = waiting();
    ask();
    here.journal.change('bot_1', {}, { kind });
    ask();
    expect(raised()).toBe(2);
  });

  it('is raised anew after a panic, and after a change that outdates what waited', () => {
    const { here, ask, raised } = waiting({ enabled: false });
    ask();
    here.journal.change('bot_1', { hold: HOLD }, { kind: 'held' });
    ask();
    here.journal.change('bot_1', { name: 'other' }, { kind: 'updated' });
    ask();
    expect(raised()).toBe(3);
  });

  it('of a bot that is stopped is raised once, however often a key asks', () => {
    const { here, ask, raised } = waiting({ enabled: false });
    for (let time = 0; time < 5; time++) {
      ask();
      here.journal.change('bot_1', {}, { kind: 'updated' });
    }
    expect(raised()).toBe(1);
  });

  it('floods nobody, however a key goes about it', async () => {
    const { here, ask } = waiting();
    const hook = await here.webhook();
    for (let time = 0; time < 20; time++) {
      here.clock.ms += 10_000;
      ask();
      here.journal.change('bot_1', { name: `bot ${time}` }, { kind: 'updated' });
    }
    await here.settle();
    expect(hook.bodies).toHaveLength(1);
  });
});

/** A bot with runs that go on, and the channel that is told of it. */
async function withRuns(...runIds: readonly string[]) {
  const here = alarmsHere();
  const hook = await here.webhook();
  const bot = here.bots.get('bot_1') ?? botRow();
  for (const runId of runIds) here.runs.insert({ ...newRun(bot, runId, 'manual', 0), status: 'running' });
  return {
    tell: (kind: 'network_lost' | 'network_back', runId: string): void =>
      here.journal.change('bot_1', {}, { kind, runId }),
    end: (runId: string): void =>
      here.journal.change('bot_1', {}, { kind: 'run', runId, also: () => here.runs.end(runId, ENDED) }),
    stop: (): void => here.journal.change('bot_1', { enabled: false, status: 'stopped' }),
    async titles(): Promise<readonly string[]> {
      await here.settle();
      return hook.bodies.flatMap(({ title, alarms }) => alarms?.map((one: { title: string }) => one.title) ?? [title]);
    },
  };
}
const ENDED = { status: 'stopped', endedAt: 1, exitCode: 0, signal: null, result: null, reason: null } as const;
const LOST = 'sma live has lost its network';

it('tells once that runs of a bot have lost their network, and that it is back', async () => {
  const { tell, titles } = await withRuns('run_1', 'run_2');
  tell('network_lost', 'run_1');
  tell('network_lost', 'run_2');
  tell('network_back', 'run_1');
  // The other run has none.
  expect(await titles()).toEqual([LOST]);
  tell('network_back', 'run_2');
  const first = [LOST, 'sma live has its network again'];
  expect(await titles()).toEqual(first);
  tell('network_lost', 'run_1');
  expect(await titles()).toEqual([...first, LOST]);
});

it('takes back that a bot has lost its network when the last run without one has ended, without a word when it is stopped', async () => {
  const { tell, end, stop, titles } = await withRuns('run_0', 'run_1', 'run_2', 'run_3');
  tell('network_lost', 'run_1');
  tell('network_lost', 'run_2');
  end('run_0');
  end('run_1');
  expect(await titles()).toEqual([LOST]);
  // One that has its network goes on.
  end('run_2');
  const taken = [LOST, 'The run of sma live without a network has ended'];
  expect(await titles()).toEqual(taken);
  tell('network_lost', 'run_3');
  stop();
  end('run_3');
  expect(await titles()).toEqual([...taken, LOST]);
});
