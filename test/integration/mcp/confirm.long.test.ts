import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bare, dataOf, fastAsking, makeKey, message, modern } from '../../support/mcp.ts';
import { TestHost } from '../../support/platform.ts';
import { call, deployTiny, getBot, publish } from '../../support/tiny-bot.ts';

/** The question before a bot is deleted, as a client that answers it itself sees it (MCP 2026-07-28, multi-round-trip requests). */
const host = new TestHost();
const IDLE = { name: 'tiny-idle', bot: 'setInterval(() => {}, 60_000);\n' };
const ASKS = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const YES = { confirm: { action: 'accept', content: { confirm: true } } };
let key = '';
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  key = await makeKey(host);
  expect((await publish(host, IDLE)).status).toBe(201);
});
afterAll(() => host.stop());

let made = 0;
async function oneBot(): Promise<string> {
  made += 1;
  return (await deployTiny(host, IDLE, { name: `bot ${made}`, enabled: false })).bot_id;
}

interface Entry {
  readonly key_id: string;
  readonly operation: string;
  readonly target: string;
  readonly outcome: string;
}

interface Reply {
  readonly inputResponses: object;
  readonly requestState: unknown;
}

/** Asks to delete a bot, with an answer to the question or without. */
async function remove(bot_id: string, reply?: Reply, as = key, extra: object = {}) {
  const params = { name: 'bot_delete', arguments: { bot_id, ...extra }, ...reply };
  const { body, headers } = modern('tools/call', params, ASKS);
  return (await bare(host, as, body, headers)).json();
}

/** Asks once and gives the sealed state of the question. */
async function sealOf(bot_id: string, as = key): Promise<string> {
  const { result } = await remove(bot_id, undefined, as);
  expect(result.resultType).toBe('input_required');
  return result.requestState;
}

const isThere = async (bot_id: string): Promise<boolean> => (await getBot(host, bot_id)).bot_id === bot_id;

describe('deleting a bot', () => {
  it('is asked about first, by the name of the bot and with what goes with it', async () => {
    const bot_id = await oneBot();
    const { result } = await remove(bot_id);
    expect(result).toMatchObject({
      resultType: 'input_required',
      requestState: expect.any(String),
      inputRequests: {
        confirm: {
          method: 'elicitation/create',
          params: {
            message: `Delete the bot "bot ${made}" (${bot_id}, stopped)? It stops, and can be restored from the trash for 7 days.`,
            requestedSchema: { type: 'object', required: ['confirm'], properties: { confirm: { type: 'boolean' } } },
          },
        },
      },
    });
    expect(await isThere(bot_id)).toBe(true);
  });

  it('is refused where the name that is given with it is that of another bot', async () => {
    const bot_id = await oneBot();
    const ask = async (confirm: string) => {
      const params = { name: 'bot_delete', arguments: { bot_id, confirm } };
      return (await bare(host, key, message('tools/call', params))).json().result;
    };
    const refused = await ask('bot of somebody else');
    expect(refused.isError).toBe(true);
    expect(refused.content[0].text).toContain(`this bot is named "bot ${made}"`);
    expect(await isThere(bot_id)).toBe(true);
    expect(dataOf(await ask(`bot ${made}`))).toMatchObject({ bot_id, deleted: true });
  });

  it('happens after a yes with the seal of the question', async () => {
    const bot_id = await oneBot();
    const { result } = await remove(bot_id, { inputResponses: YES, requestState: await sealOf(bot_id) });
    expect(dataOf(result)).toMatchObject({ bot_id, deleted: true });
    await expect(getBot(host, bot_id)).rejects.toThrow('Bot not found');
  });

  it('does not happen after anything but a yes', async () => {
    const bot_id = await oneBot();
    for (const confirm of [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { confirm: false } },
      { action: 'accept', content: { confirm: 'true' } },
      { action: 'accept', content: {} },
    ]) {
      const answer = await remove(bot_id, { inputResponses: { confirm }, requestState: await sealOf(bot_id) });
      expect(JSON.stringify(answer.result ?? null)).not.toContain('deleted\\":true');
      expect(await isThere(bot_id)).toBe(true);
    }
  });

  it('does not happen with a seal that was changed or made up', async () => {
    const bot_id = await oneBot();
    const seal = await sealOf(bot_id);
    const changed = `${seal.slice(0, -3)}${seal.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    for (const requestState of [changed, seal.slice(0, -1), 'made up', '']) {
      const { result } = await remove(bot_id, { inputResponses: YES, requestState });
      expect(JSON.stringify(result ?? null)).not.toContain('deleted\\":true');
    }
    expect(await isThere(bot_id)).toBe(true);
  });

  it('asks again when the yes was for another bot, or came to another key', async () => {
    const [one, two] = [await oneBot(), await oneBot()];
    const forOther = await remove(two, { inputResponses: YES, requestState: await sealOf(one) });
    expect(forOther.result.resultType).toBe('input_required');
    const stranger = await makeKey(host);
    const fromOther = await remove(one, { inputResponses: YES, requestState: await sealOf(one) }, stranger);
    expect(fromOther.result.resultType).toBe('input_required');
    expect([await isThere(one), await isThere(two)]).toEqual([true, true]);
  });

  it('asks when a yes comes without any question before it', async () => {
    const bot_id = await oneBot();
    const { result } = await remove(bot_id, { inputResponses: YES, requestState: undefined });
    expect(result.resultType).toBe('input_required');
  });

  it('asks nothing about arguments that are wrong', async () => {
    const { result } = await remove(await oneBot(), undefined, key, { force: true });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toBe('Invalid arguments for bot_delete');
  });

  it('is done at once for a client that cannot ask: its own approval is the guard', async () => {
    const [bareBot, modernBot, urlBot] = [await oneBot(), await oneBot(), await oneBot()];
    const params = (bot_id: string) => ({ name: 'bot_delete', arguments: { bot_id } });
    const one = modern('tools/call', params(modernBot));
    // It can be sent to a page, but not be shown a form.
    const urls = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } };
    const two = modern('tools/call', params(urlBot), urls);
    const answers = [
      await bare(host, key, message('tools/call', params(bareBot))),
      await bare(host, key, one.body, one.headers),
      await bare(host, key, two.body, two.headers),
    ];
    expect(answers.map((answer) => dataOf(answer.json().result).deleted)).toEqual([true, true, true]);
  });

  it('is asked about where the client says no more than that it can be asked', async () => {
    const params = { name: 'bot_delete', arguments: { bot_id: await oneBot() } };
    const empty = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    const { body, headers } = modern('tools/call', params, empty);
    expect((await bare(host, key, body, headers)).json().result.resultType).toBe('input_required');
  });

  it('leaves an entry in the audit trail for each step, also where nothing happened', async () => {
    const name = 'audited asking';
    const asking = await makeKey(host, { name });
    const reading = await makeKey(host, { name: `${name}, reading`, scope: 'read' });
    const bot_id = await oneBot();
    const no = { confirm: { action: 'decline' } };
    await remove(bot_id, { inputResponses: no, requestState: await sealOf(bot_id, asking) }, asking);
    await remove('bot_nowhere', undefined, asking);
    expect((await remove(bot_id, undefined, reading)).error.code).toBe(-32602);
    await bare(host, reading, message('tools/call', { name: 'bot_delete', arguments: { bot_id } }));
    await bare(host, reading, message('tools/call', { name: 'bot_explode' }));
    await remove(bot_id, { inputResponses: YES, requestState: await sealOf(bot_id, asking) }, asking);

    const { items: keys } = await call<{ items: { key_id: string; name: string }[] }>(host, 'GET', '/api/v1/keys');
    const ids = keys.filter((one) => one.name.startsWith(name)).map(({ key_id }) => key_id);
    const { items } = await call<{ items: Entry[] }>(host, 'GET', '/api/v1/audit?limit=200');
    const ours = items.filter(({ key_id }) => ids.includes(key_id)).toReversed();
    expect(ours.map(({ operation, target, outcome }) => [operation, target, outcome])).toEqual([
      ['mcp bot_delete', bot_id, 'asked'],
      ['mcp bot_delete', bot_id, 'declined'],
      ['mcp bot_delete', 'bot_nowhere', 'BOT_NOT_FOUND'],
      ['mcp bot_delete', bot_id, 'FORBIDDEN'],
      ['mcp bot_delete', bot_id, 'FORBIDDEN'],
      ['mcp tools/call', 'bot_explode', 'INVALID_REQUEST'],
      ['mcp bot_delete', bot_id, 'asked'],
      ['mcp bot_delete', bot_id, 'ok'],
    ]);
  });
});
