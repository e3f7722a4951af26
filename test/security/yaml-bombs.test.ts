import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { call } from '../support/tiny-bot.ts';

/**
 * S3: a bot-config.yaml that means harm costs a moment and is told by line. All forms are in
 * test/unit/packaging/bot-config.test.ts; here they are sent to a host, which must go on answering.
 */
const host = new TestHost();
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

const GOOD =
  'name: quiet-bot\nversion: "1.0.0"\ntype: realtime\nruntime: python311\nentrypoints: {bot: main.py}\nschema: {bot: s.json}\n';
const aliases = [...'bcdefghijklmnop'].map((c, i, all) => `${c}: &${c} [*${all[i - 1] ?? 'a'}, *${all[i - 1] ?? 'a'}]`);
/** Each bomb, and the expected message. */
const BOMBS: Readonly<Record<string, readonly [yaml: string, told: RegExp]>> = {
  'aliases of aliases': [`${GOOD}a: &a [x, x]\n${aliases.join('\n')}\n`, /more than 20 aliases/],
  'an alias of itself': [`${GOOD}a: &a [*a]\n`, /stands inside what it refers to/],
  'a merge key': [`${GOOD}base: &b {x: 1}\nmore: {<<: *b}\n`, /merge keys/],
  'twenty thousand levels': [`${GOOD}x: ${'['.repeat(20_000)}`, /deeper than 32 levels/],
  'a key twice': [`${GOOD}name: other-bot\n`, /appears twice/],
  'a tag that builds something': [`${GOOD}x: !!js/function "function(){}"\n`, /tag/],
  'two documents': [`${GOOD}---\n${GOOD}`, /second YAML document/],
  'a number as version': [GOOD.replace('"1.0.0"', '1.10'), /version/],
  'a megabyte but for a few bytes': [`${GOOD}x: "${'y'.repeat(900_000)}"`, /KiB|bytes/],
};

interface Checked {
  readonly valid: boolean;
  readonly problems: readonly { readonly line: number | null; readonly message: string }[];
}

it('finds the harm in each, quickly, with its line, and keeps __proto__ as data', async () => {
  let slowest = 0;
  for (const [what, [config_yaml, told]] of Object.entries(BOMBS)) {
    const begun = performance.now();
    const answer = await call<Checked>(host, 'POST', '/api/v1/custom-bots/validate', { config_yaml });
    slowest = Math.max(slowest, performance.now() - begun);
    expect([what, answer.valid]).toEqual([what, false]);
    expect(answer.problems.map(({ message }) => message).join('\n'), what).toMatch(told);
  }
  // Two seconds are the limit of the work; the rest is for a machine that is busy.
  expect(slowest).toBeLessThan(15_000);
  const good = await call<Checked>(host, 'POST', '/api/v1/custom-bots/validate', {
    config_yaml: `${GOOD}__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}\n`,
  });
  expect(good).toMatchObject({ valid: true, problems: [] });
  // Parsing has changed no object of the host.
  expect(JSON.stringify(await call(host, 'GET', '/api/v1/host'))).not.toContain('polluted');
  const tried = Object.keys(BOMBS).length;
  await prove('S3', 'configurations in YAML that mean harm', {
    tried,
    refused: tried,
    'slowest, ms': Math.round(slowest),
  });
});
