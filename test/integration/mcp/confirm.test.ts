import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bare, fastAsking, makeKey, message, modern } from '../../support/mcp.ts';
import { TestHost } from '../../support/platform.ts';
import { deployTiny, getBot, publish } from '../../support/tiny-bot.ts';

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
}, 60_000);
afterAll(() => host.stop());

let made = 0;
async function oneBot(): Promise<string> {
  made += 1;
  return (await deployTiny(host, IDLE, { name: `bot ${made}`, enabled: false })).bot_id;
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
            message: `Delete the bot "bot ${made}" (${bot_id}, stopped) with its state, logs, metrics and runs? This cannot be undone.`,
            requestedSchema: { type: 'object', required: ['confirm'], properties: { confirm: { type: 'boolean' } } },
          },
        },
      },
    });
    expect(await isThere(bot_id)).toBe(true);
  });

  it('happens after a yes with the seal of the question', async () => {
    const bot_id = await oneBot();
    const { result } = await remove(bot_id, { inputResponses: YES, requestState: await sealOf(bot_id) });
    expect(result.structuredContent).toEqual({ bot_id, deleted: true });
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
      expect(answer.result?.structuredContent).toBeUndefined();
      expect(await isThere(bot_id)).toBe(true);
    }
  });

  it('does not happen with a seal that was changed or made up', async () => {
    const bot_id = await oneBot();
    const seal = await sealOf(bot_id);
    const changed = `${seal.slice(0, -3)}${seal.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    for (const requestState of [changed, seal.slice(0, -1), 'made up', '']) {
      const { result } = await remove(bot_id, { inputResponses: YES, requestState });
      expect(result?.structuredContent).toBeUndefined();
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
    const [bareBot, modernBot] = [await oneBot(), await oneBot()];
    const params = (bot_id: string) => ({ name: 'bot_delete', arguments: { bot_id } });
    const one = modern('tools/call', params(modernBot));
    const answers = [
      await bare(host, key, message('tools/call', params(bareBot))),
      await bare(host, key, one.body, one.headers),
    ];
    expect(answers.map((answer) => answer.json().result.structuredContent.deleted)).toEqual([true, true]);
  });
});
