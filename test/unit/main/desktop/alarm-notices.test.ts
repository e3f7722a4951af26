import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { AlarmNotices } from '../../../../src/main/desktop/alarm-notices.ts';
import type { Notice } from '../../../../src/main/desktop/failure-notices.ts';
import { formatSse } from '../../../../src/shared/sse.ts';
import { until } from '../../../support/until.ts';

const NOTICE = { id: 'alm_1', severity: 'warning', title: 'sma failed', text: 'Exit code 1.', bot_id: 'bot_1' };

/** A host with alarms for the desktop, and the app that follows it. */
async function stage() {
  const state = { state: 'ok', allowed: true, status: 200 };
  const shown: Notice[] = [];
  const answered: unknown[] = [];
  const errors: string[] = [];
  let stream: ServerResponse | null = null;
  const server = createServer((request, answer) => {
    if (request.url === '/api/v1/alarms/channels') {
      answer.end(JSON.stringify({ items: [{ kind: 'desktop', state: state.state }] }));
    } else if (request.method === 'GET') {
      answer.writeHead(state.status).write('id: 0\n\n');
      stream = answer;
    } else {
      request.on('data', (body) => answered.push(JSON.parse(String(body))));
      request.on('end', () => answer.end('{"ok":true}'));
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const notices = new AlarmNotices({
    show: (notice) => {
      if (state.allowed) shown.push(notice);
      return state.allowed;
    },
    wait: () => new Promise((resolve) => setImmediate(resolve)),
    onError: (where) => errors.push(where),
  });
  onTestFinished(() => {
    notices.follow(null);
    server.closeAllConnections();
    server.close();
  });
  const host = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'local_x' };
  notices.follow(host);
  const push = async (notice: object): Promise<void> => {
    await until('the app to follow', () => stream !== null);
    stream?.write(formatSse({ id: '0', data: JSON.stringify(notice) }));
  };
  const breakOff = (): void => {
    stream?.destroy();
    stream = null;
  };
  return { notices, host, state, shown, answered, errors, push, breakOff };
}

it('shows what the host sends, says so, and shows what is sent again once', async () => {
  const app = await stage();
  await app.push(NOTICE);
  await until('the answer', () => app.answered.length === 1);
  app.breakOff();
  await app.push(NOTICE);
  await app.push({ ...NOTICE, id: 'alm_2', bot_id: null });
  await until('all answers', () => app.answered.length === 3);
  expect(app.shown).toEqual([
    { title: 'sma failed', body: 'Exit code 1.', place: '/bots/bot_1' },
    { title: 'sma failed', body: 'Exit code 1.', place: '/settings/alarms' },
  ]);
  expect(app.answered).toEqual(['alm_1', 'alm_1', 'alm_2'].map((id) => ({ id, shown: true })));
});

it('says so where the person wants no notifications', async () => {
  const app = await stage();
  app.state.allowed = false;
  await app.push(NOTICE);
  await until('the answer', () => app.answered.length === 1);
  expect([app.shown, app.answered]).toEqual([[], [{ id: 'alm_1', shown: false }]]);
});

it('knows whether alarms tell of failures on this desktop', async () => {
  const { notices, host, state, errors } = await stage();
  expect(await notices.areOn(host)).toBe(true);
  state.state = 'unverified';
  expect(await notices.areOn(host)).toBe(false);
  expect(await notices.areOn({ url: 'http://127.0.0.1:1', token: null })).toBe(false);
  expect(errors).toEqual(['alarm channels']);
});
