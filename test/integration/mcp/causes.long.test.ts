import { afterAll, beforeAll, expect, it } from 'vitest';
import { bare, makeKey, message } from '../../support/mcp.ts';
import { TestHost } from '../../support/platform.ts';
import { botUntil, deployTiny } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const host = new TestHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

it('bots that end with the same exit code are listed and shown with what each of them fails of', async () => {
  const key = await makeKey(host);
  // biome-ignore lint/suspicious/noExplicitAny: the answers of all tools
  const use = async (name: string, input: object): Promise<any> => {
    const { result } = (await bare(host, key, message('tools/call', { name, arguments: input }))).json();
    return JSON.parse(result.content[0].text);
  };
  const module = await deployTiny(host, { name: 'module', bot: `import 'ccxt-of-nobody';` });
  const throws = await deployTiny(host, { name: 'throws', bot: `throw new TypeError('price is missing');` });
  for (const { bot_id } of [module, throws])
    await botUntil(host, bot_id, 'a crash loop', ({ health }) => health.state === 'crash_looping');
  const bots = await until('both causes', async () => {
    const { causes } = await use('bot_list', { status: 'unhealthy' });
    const reasons: Record<string, string> = Object.fromEntries(
      causes.flatMap((one: { cause: string; bots: [string, string][] }) => one.bots.map(([id]) => [id, one.cause])),
    );
    return Object.values(reasons).some((reason) => /ended while|^EXIT_CODE: Ended/.test(reason)) ? null : reasons;
  });
  expect(bots[module.bot_id]).toMatch(/^NODE_MODULE_MISSING: .*ccxt-of-nobody/);
  expect(bots[throws.bot_id]).toMatch(/^NODE_EXCEPTION: .*TypeError.*price is missing/);
  expect((await use('bot_get', { bot_id: throws.bot_id })).reason).toBe(bots[throws.bot_id]);
});
