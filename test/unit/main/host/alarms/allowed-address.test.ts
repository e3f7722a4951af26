import { describe, expect, it, onTestFinished } from 'vitest';
import { allowedAddress, refusal } from '../../../../../src/main/host/alarms/allowed-address.ts';
import { SENDERS } from '../../../../../src/main/host/alarms/channels/kinds.ts';
import { AlarmReceiver } from '../../../../support/alarm-receiver.ts';

const OWNER = { private: true };
const USER = { private: false };

const METADATA = [
  '169.254.169.254',
  '169.254.1.1',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fe80::1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
];
const PRIVATE = ['127.0.0.1', '10.1.2.3', '172.20.0.1', '192.168.1.1', '100.64.0.1', '0.0.0.0', '::1', '::', 'fd12::1'];
const PUBLIC = ['1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '64:ff9b::101:101'];

describe('addresses', () => {
  it.each(METADATA)('%s is for nobody', (address) => {
    expect(refusal(address, OWNER)).toMatch(/metadata/);
    expect(refusal(address, USER)).toMatch(/metadata/);
  });

  it.each([...PRIVATE, '::ffff:127.0.0.1', '::ffff:10.0.0.1'])('%s is for owners', (address) => {
    expect(refusal(address, OWNER)).toBeNull();
    expect(refusal(address, USER)).toMatch(/owner/);
  });

  it.each(PUBLIC)('%s is for everybody', (address) => {
    expect(refusal(address, USER)).toBeNull();
  });
});

describe('at connect', () => {
  // Other spellings of 127.0.0.1 and 169.254.169.254 that URL parsers and resolvers know.
  it.each(['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]'])(
    'a user reaches nothing at %s',
    async (host) => {
      const stub = await AlarmReceiver.start(onTestFinished);
      const url = `http://${host}:${new URL(stub.url).port}`;
      const showOnDesktop = async (): Promise<void> => undefined;
      const context = { reach: USER, now: Date.now, ended: new AbortController().signal, showOnDesktop };
      const message = { id: 'a', at: '', severity: 'info', title: '', text: '', late: null, items: [] } as const;
      await expect(SENDERS.discord({ url }, message, context)).rejects.toMatchObject({ name: 'AddressRefused' });
      await expect(
        SENDERS.email({ host: host.replaceAll(/[[\]]/g, ''), port: new URL(stub.url).port }, message, context),
      ).rejects.toMatchObject({ name: 'AddressRefused' });
      expect(stub.received).toEqual([]);
    },
  );

  it.each(['169.254.169.254', '2852039166', '[::ffff:169.254.169.254]', '[fd00:ec2::254]'])(
    'nobody reaches %s',
    async (host) => {
      const { hostname } = new URL(`http://${host}`);
      await expect(allowedAddress(hostname, OWNER)).rejects.toMatchObject({ name: 'AddressRefused' });
    },
  );
});
