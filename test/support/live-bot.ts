import type { Bot } from '../../src/contract/bot.ts';
import { pidsOfBot, procText, type TestHost, testHost } from './platform.ts';
import { tempDir } from './temp.ts';
import { botUntil, call, deployTiny, getBot, type TinyBot } from './tiny-bot.ts';

export const CANARY = 'canary-of-a-live-key-7d1f0c';
export const PIN = '4815162342';

/** The answer to a call, with `ok` or the code of its error. */
export interface Said<T> {
  readonly code: string;
  readonly text: string;
  readonly body: T;
}

/** A call as the owner of the machine. */
export async function said<T = Bot>(
  host: TestHost,
  method: string,
  path: string,
  body?: object,
  headers: object = {},
): Promise<Said<T>> {
  const answer = await host.fetch(path, {
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const parsed = JSON.parse(text);
  return { code: answer.ok ? 'ok' : parsed.error.code, text, body: parsed };
}

/** Programs of the bot whose environment holds the live secret. */
export const holders = (host: TestHost, botId: string, value = CANARY): number[] =>
  pidsOfBot(host, botId).filter((pid) => procText(pid, 'environ').includes(value));

/** What a request carries once the PIN was entered; a host that was started again asks anew. */
export async function confirm(host: TestHost): Promise<Readonly<Record<string, string>>> {
  const { confirmation } = await call<{ confirmation: string }>(host, 'POST', '/api/v1/pin/confirm', { pin: PIN });
  return { 'x-platform-confirmation': confirmation };
}

/** A host whose owner has a PIN and the live secret LIVE, with a bot that a person has deployed and nobody has armed. */
export async function liveHost(end: Parameters<typeof testHost>[0], tiny: TinyBot, request: object) {
  const host = await testHost(end, undefined, null, { PLATFORM_KEY_FOLDER: tempDir('keys-') });
  await call(host, 'POST', '/api/v1/secrets', { name: 'LIVE', class: 'live', value: CANARY });
  const { bot_id: id } = await deployTiny(host, tiny, request);
  const { confirmation } = await call<{ confirmation: string }>(host, 'PUT', '/api/v1/pin', { pin: PIN });
  return { host, id, at: `/api/v1/bots/${id}`, confirmed: { 'x-platform-confirmation': confirmation } };
}

/** Arms a bot as it is. */
export async function arm(host: TestHost, id: string, confirmed: object): Promise<Bot> {
  const { generation: if_generation } = await getBot(host, id);
  const { code, body } = await said(
    host,
    'POST',
    `/api/v1/bots/${id}/arm`,
    { for_sec: 86_400, if_generation },
    confirmed,
  );
  if (code !== 'ok') throw new Error(`arming ${id}: ${code}`);
  return body;
}

export const running = (host: TestHost, id: string): Promise<Bot> =>
  botUntil(host, id, 'running', ({ status }) => status === 'running');

/** A key of the owner that may change bots, as a function that calls with it, and with a confirmed PIN that is of no use to it. */
export async function keyOf(host: TestHost, name: string, confirmed: object) {
  const made = await said<{ key: string }>(host, 'POST', '/api/v1/keys', { name, scope: 'full' }, confirmed);
  if (made.code !== 'ok') throw new Error(`a key: ${made.code}`);
  const { key } = made.body;
  const asKey = <T = Bot>(method: string, path: string, body?: object): Promise<Said<T>> =>
    said<T>(host, method, path, body, { ...confirmed, authorization: `Bearer ${key}` });
  return { key, asKey };
}
