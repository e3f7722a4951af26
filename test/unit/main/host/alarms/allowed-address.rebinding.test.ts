import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { SENDERS } from '../../../../../src/main/host/alarms/channels/kinds.ts';
import { send } from '../../../../../src/main/host/alarms/request.ts';
import { AlarmReceiver } from '../../../../support/alarm-receiver.ts';

const asked = { names: [] as string[], answers: [] as string[] };
const real = dns.lookup;

// A name server of an attacker: each question about a name gets the next answer.
beforeAll(() => {
  const lookup = async (name: string) => {
    asked.names.push(name);
    return [{ address: asked.answers.shift() ?? '169.254.169.254', family: 4 }];
  };
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
});

afterAll(() => {
  Object.assign(dns, { lookup: real });
  syncBuiltinESMExports();
});

const context = (isOwner: boolean) => ({
  reach: { private: isOwner },
  now: Date.now,
  ended: new AbortController().signal,
  showOnDesktop: async () => undefined,
});
const MESSAGE = { id: 'a', at: '', severity: 'info', title: '', text: '', late: null, items: [] } as const;

it('connects to the address that was checked, whatever the name leads to a moment later', async () => {
  const stub = await AlarmReceiver.start(onTestFinished);
  const { port } = new URL(stub.url);
  asked.names.length = 0;
  asked.answers = ['127.0.0.1', '169.254.169.254'];
  const { status } = await send({ url: `http://rebind.test:${port}/in` }, context(true));
  expect([status, asked.names]).toEqual([200, ['rebind.test']]);
  expect(stub.received).toMatchObject([{ path: '/in', headers: { host: `rebind.test:${port}` } }]);
});

it.each([
  ['an owner', '169.254.169.254', true],
  ['a user', '127.0.0.1', false],
] as const)('refuses %s a name that leads to %s', async (_, address, isOwner) => {
  const stub = await AlarmReceiver.start(onTestFinished);
  const { port } = new URL(stub.url);
  asked.answers = [address, '127.0.0.1', '127.0.0.1'];
  const url = `http://rebind.test:${port}`;
  await expect(SENDERS.slack({ url }, MESSAGE, context(isOwner))).rejects.toMatchObject({ name: 'AddressRefused' });
  asked.answers = [address, '127.0.0.1', '127.0.0.1'];
  const mail = { host: 'rebind.test', port, from: 'a@example.com', to: 'b@example.com' };
  await expect(SENDERS.email(mail, MESSAGE, context(isOwner))).rejects.toMatchObject({ name: 'AddressRefused' });
  expect(stub.received).toEqual([]);
});

it('follows no redirect, which could lead to an address that was not checked', async () => {
  const stub = await AlarmReceiver.start(onTestFinished);
  stub.answer = () => ({ status: 307, headers: { location: 'http://169.254.169.254/latest/meta-data' } });
  asked.names.length = 0;
  asked.answers = ['127.0.0.1'];
  const url = `http://rebind.test:${new URL(stub.url).port}`;
  await expect(SENDERS.discord({ url }, MESSAGE, context(true))).rejects.toMatchObject({ name: 'Rejected' });
  expect([stub.received.length, asked.names]).toEqual([1, ['rebind.test']]);
});
