import { expect, it } from 'vitest';
import type { BotCode } from '../../../../../src/main/host/bots/bot-code.ts';
import { problemsOfKnown } from '../../../../../src/main/host/bots/unknown-secrets.ts';
import { isJsonObject } from '../../../../../src/shared/json.ts';

/** A version that quotes every text of a config, and every name, as a problem. */
const quoting: Pick<BotCode, 'validate'> = {
  validate: (config) => {
    const told = isJsonObject(config) ? Object.entries(config) : [];
    const problems = told.map(([name, value]) => ({
      path: `config.${name}`,
      message: `got ${JSON.stringify(value)}`,
      hint: `not ${JSON.stringify(value)}`,
    }));
    return { effective: {}, problems };
  },
};
const present: Pick<BotCode, 'mapSecrets'> = { mapSecrets: (config) => config };

it('says nothing of a value that answers mask by its shape, and quotes none in the name of a setting', () => {
  const config = {
    endpoint: 'https://me:hunter2-of-mine@api.example.com/v1',
    plain: 'BTC-USD',
    'https://me:hunter2-of-mine@api.example.com': 1,
  };
  const problems = problemsOfKnown(quoting, present, config);
  expect(problems.map(({ path }) => path)).toEqual(['config.plain', expect.stringContaining('api.example.com')]);
  expect(problems[0]).toMatchObject({ message: 'got "BTC-USD"', hint: 'not "BTC-USD"' });
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});
