import { expect, it } from 'vitest';
import type { AlarmChannel, AlarmLog, ChannelTest } from '../../src/contract/alarms.ts';
import { ALARM_FAULT_POINTS } from '../../src/node/fault-point.ts';
import { AlarmReceiver } from '../support/alarm-receiver.ts';
import { Fault } from '../support/fault.ts';
import { testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const ROUNDS = rounds(2, 200);

it('loses no message and repeats one only under its id', async ({ onTestFinished }) => {
  const random = new SeededRandom(testSeed());
  const fault = new Fault();
  const receiver = await AlarmReceiver.start((end) => onTestFinished(end));
  const host = await testHost(onTestFinished, undefined, null, fault.env);
  const channel = await call<AlarmChannel>(host, 'POST', '/api/v1/alarms/channels', {
    name: 'hook',
    kind: 'webhook',
    settings: { url: receiver.url, secret: 'a secret of the tests' },
  });
  await call<ChannelTest>(host, 'POST', `/api/v1/alarms/channels/${channel.channel_id}/test`);
  const { bot_id: id } = await deployTiny(host, { name: 'fails', type: 'scheduled', bot: 'process.exit(3)' });
  await call(host, 'POST', '/api/v1/alarms/rules', { on: ['host_crashed'], severity: 'info' });
  for (let round = 0; round < ROUNDS; round++) {
    const point = random.pick(ALARM_FAULT_POINTS);
    fault.set(point);
    // Its answer may be lost with the host.
    await host.fetch(`/api/v1/bots/${id}/run`, { method: 'POST' }).catch(() => undefined);
    // The failure of a bot that fails already is no new alarm; a log-in link that is used is one.
    const made = await host
      .fetch('/api/v1/keys', { method: 'POST', body: JSON.stringify({ name: `k${round}` }) })
      .catch(() => undefined);
    await made?.body?.cancel();
    await until(`the host to die at ${point}`, () => host.isGone());
    fault.set(null);
    await host.start();
  }
  const log = async (): Promise<AlarmLog['items']> => {
    const answer = await call<AlarmLog>(host, 'GET', '/api/v1/alarms?limit=200');
    return answer.items.filter(({ event }) => event !== 'test');
  };
  const all = await until('every message to be sent', async () => {
    const items = await log();
    const isSent = items.every(({ deliveries }) => deliveries.every(({ state }) => state === 'sent'));
    return isSent && items.length >= ROUNDS ? items : null;
  });
  const told = receiver.bodies.flatMap(({ id: message, items }) =>
    items.map(({ alarm_id }: { alarm_id: string }) => ({ message, alarm_id })),
  );
  const lost = all.filter(({ alarm_id }) => !told.some((one) => one.alarm_id === alarm_id));
  expect(lost).toEqual([]);
  const underOther = all.filter(
    ({ alarm_id }) => new Set(told.filter((one) => one.alarm_id === alarm_id).map(({ message }) => message)).size > 1,
  );
  expect(underOther).toEqual([]);
  await prove('R51', 'Host killed between event and message', {
    kills: ROUNDS,
    messages: all.length,
    lost: lost.length,
    repeated: told.length - new Set(told.map(({ alarm_id }) => alarm_id)).size,
  });
});
