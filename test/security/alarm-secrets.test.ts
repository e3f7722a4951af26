import { expect, it } from 'vitest';
import { alarmsHere } from '../support/alarms-here.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';

const SECRETS = rounds(500, 10_000);
const AT_ONCE = 50;
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

it('sends none of the secrets that are planted in what bots say', async () => {
  const random = new SeededRandom(testSeed());
  const secrets = Array.from({ length: SECRETS }, () =>
    Array.from({ length: 24 }, () => random.pick([...LETTERS])).join(''),
  );
  let present: readonly string[] = [];
  const here = alarmsHere({ secretsOf: () => present });
  const hook = await here.webhook();
  here.removeRules();
  here.rule({ on: ['failed'], with_text: true });
  for (let from = 0; from < SECRETS; from += AT_ONCE) {
    present = secrets.slice(from, from + AT_ONCE);
    for (const secret of present) {
      const begin = random.pick(['', 'Authorization: ', '{"api_key":"', 'x '.repeat(90), '\n']);
      here.fail('bot_1', random.pick(['BOT_ERROR', 'PYTHON_EXCEPTION', 'START_FAILED']), `${begin}${secret} refused`);
      here.recover();
    }
    here.clock.ms += 61_000;
    await here.settle();
  }
  const received = hook.received.map(({ body }) => body).join('\n');
  const leaked = secrets.filter((secret) => received.includes(secret));
  const stored = JSON.stringify(here.db.prepare('select title, text, note from alarm').all());
  expect(leaked).toEqual([]);
  expect(secrets.filter((secret) => stored.includes(secret))).toEqual([]);
  expect(hook.bodies.flatMap(({ items }) => items).filter(({ text }) => text.includes('It said: ')).length).toBe(
    SECRETS,
  );
  await prove('S51', 'Secrets in what bots said', { secrets: SECRETS, leaked: leaked.length });
});
