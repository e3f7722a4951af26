import { createHmac } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChannelKind } from '../../../../../../src/contract/alarm-choices.ts';
import { SENDERS } from '../../../../../../src/main/host/alarms/channels/kinds.ts';
import type { Message } from '../../../../../../src/main/host/alarms/message.ts';
import { AlarmReceiver } from '../../../../../support/alarm-receiver.ts';
import { MailServer } from '../../../../../support/mail-server.ts';

const AT = '2026-11-29T12:00:00.000Z';
const NASTY = '<!channel> @everyone *bold* [link](http://example.com) & `code`';

const message = (more: Partial<Message> = {}): Message => ({
  id: 'alm_1',
  at: AT,
  severity: 'critical',
  title: NASTY,
  text: 'Ended with exit code 1 (EXIT_CODE).',
  late: null,
  items: [],
  ...more,
});

const CONTEXT = {
  reach: { private: true },
  now: () => Date.parse(AT),
  ended: new AbortController().signal,
  showOnDesktop: async () => undefined,
};
const send = (kind: ChannelKind, settings: Record<string, string>, what = message()) =>
  SENDERS[kind](settings, what, CONTEXT);

const receiver = () => AlarmReceiver.start(onTestFinished);

describe('what each service receives', () => {
  it('webhook: JSON with a signature over timestamp, id and body', async () => {
    const stub = await receiver();
    await send('webhook', { url: `${stub.url}/in`, secret: 'sixteen characters' });
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = stub.received;
    const signed = `${headers['x-platform-timestamp']}.${headers['x-platform-id']}.${body}`;
    expect(path).toBe('/in');
    expect(headers['x-platform-signature']).toBe(
      `v1=${createHmac('sha256', 'sixteen characters').update(signed).digest('hex')}`,
    );
    expect(JSON.parse(body)).toMatchObject({ id: 'alm_1', at: AT, severity: 'critical', title: NASTY });
  });

  it('telegram: sendMessage as plain text of at most 4,096 characters', async () => {
    const stub = await receiver();
    const text = 'y'.repeat(9000);
    await send(
      'telegram',
      { token: '1:abcdefghij', chat_id: '42', server: stub.url },
      message({ text, late: 'Late: x' }),
    );
    expect(stub.received[0]?.path).toBe('/bot1:abcdefghij/sendMessage');
    const [body] = stub.bodies;
    expect(Object.keys(body)).toEqual(['chat_id', 'text', 'link_preview_options']);
    expect(body.text.length).toBeLessThanOrEqual(4096);
    expect(body.text).toContain(NASTY);
    expect(body.text.endsWith('Late: x')).toBe(true);
  });

  it('discord: no mention, no markup, at most 2,000 characters', async () => {
    const stub = await receiver();
    await send('discord', { url: stub.url }, message({ text: '*'.repeat(5000) }));
    const [body] = stub.bodies;
    expect(body.allowed_mentions).toEqual({ parse: [] });
    expect(body.content).toContain('\\*bold\\*');
    expect(body.content.length).toBeLessThanOrEqual(2000);
  });

  it('slack: a block of plain text, and a fallback without mentions', async () => {
    const stub = await receiver();
    await send('slack', { url: stub.url }, message({ text: 'z'.repeat(5000) }));
    const [body] = stub.bodies;
    expect(body.text).toContain('&lt;!channel&gt;');
    expect(body.blocks[0].text).toMatchObject({ type: 'plain_text', emoji: false });
    expect(body.blocks[0].text.text.length).toBeLessThanOrEqual(3000);
  });

  it('ntfy: JSON with topic and priority, at most 4,096 bytes of message', async () => {
    const stub = await receiver();
    await send('ntfy', { topic: 'mine', server: stub.url, token: 'tk_1' }, message({ text: '😀'.repeat(5000) }));
    const [body] = stub.bodies;
    expect(body).toMatchObject({ topic: 'mine', priority: 5 });
    expect(Buffer.byteLength(body.message)).toBeLessThanOrEqual(4096);
    expect(stub.received[0]?.headers.authorization).toBe('Bearer tk_1');
  });

  it('pushover: at most 1,024 characters', async () => {
    const stub = await receiver();
    await send('pushover', { token: 't', user: 'u', server: stub.url }, message({ text: 'p'.repeat(5000) }));
    const [body] = stub.bodies;
    expect(stub.received[0]?.path).toBe('/1/messages.json');
    expect(body).toMatchObject({ token: 't', user: 'u', priority: 1, timestamp: Date.parse(AT) / 1000 });
    expect(body.message.length).toBeLessThanOrEqual(1024);
  });

  it('e-mail: one mail with log-in, subject and text', async () => {
    const server = await MailServer.start(onTestFinished);
    const settings = { host: '127.0.0.1', port: String(server.port), from: 'bots@example.com', to: 'me@example.com' };
    await send('email', { ...settings, user: 'me', password: 'pw' }, message({ title: 'sma failed' }));
    const [mail] = server.mails;
    expect(mail).toMatchObject({ login: 'me pw' });
    expect(mail?.to).toContain('<me@example.com>');
    expect(mail?.data).toContain('Subject: [critical] sma failed');
    expect(mail?.data).toContain('Ended with exit code 1');
    expect(mail?.data).toContain('Message-ID: <alm_1@bot-platform.invalid>');
  });
});

describe('what a service answers', () => {
  it.each([
    ['webhook', 401, 'Revoked'],
    ['webhook', 302, 'Rejected'],
    ['webhook', 400, 'Rejected'],
    ['webhook', 429, 'Unreachable'],
    ['webhook', 500, 'Unreachable'],
    ['telegram', 404, 'Revoked'],
    ['discord', 404, 'Revoked'],
    ['slack', 410, 'Revoked'],
    ['ntfy', 403, 'Revoked'],
  ] as const)('%s %i is %s', async (kind, status, name) => {
    const stub = await receiver();
    stub.answer = () => ({ status, headers: { location: `${stub.url}/elsewhere` } });
    const settings = { url: stub.url, secret: 's', token: '1:abcdefghij', chat_id: '1', topic: 't', server: stub.url };
    await expect(send(kind, settings)).rejects.toMatchObject({ name });
    // A redirect is not followed.
    expect(stub.received.length).toBe(1);
  });

  it('telegram says in its body how long to wait', async () => {
    const stub = await receiver();
    stub.answer = () => ({ status: 429, body: '{"ok":false,"parameters":{"retry_after":33}}' });
    await expect(send('telegram', { token: '1:abcdefghij', chat_id: '1', server: stub.url })).rejects.toMatchObject({
      retryAfterMs: 33_000,
    });
  });

  it('pushover says with 400 that it does not know the token', async () => {
    const stub = await receiver();
    stub.answer = () => ({ status: 400, body: '{"token":"invalid","status":0}' });
    await expect(send('pushover', { token: 't', user: 'u', server: stub.url })).rejects.toMatchObject({
      name: 'Revoked',
    });
  });

  it('a mail server refuses the log-in or the recipient, without its words', async () => {
    const server = await MailServer.start(onTestFinished);
    const settings = { host: '127.0.0.1', port: String(server.port), from: 'a@example.com', to: 'b@example.com' };
    server.login = '535 5.7.8 wrong: hunter2';
    const refused = send('email', { ...settings, user: 'me', password: 'hunter2' });
    await expect(refused).rejects.toMatchObject({ name: 'Revoked' });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('hunter2') });
    server.recipient = '550 5.1.1 No such user';
    await expect(send('email', settings)).rejects.toMatchObject({ name: 'Rejected' });
    server.recipient = '451 4.3.0 Later';
    await expect(send('email', settings)).rejects.toMatchObject({ name: 'Unreachable' });
  });

  it('nobody listens', async () => {
    const stub = await receiver();
    stub.answer = () => 'hang up';
    await expect(send('discord', { url: stub.url })).rejects.toMatchObject({ name: 'Unreachable' });
  });
});
