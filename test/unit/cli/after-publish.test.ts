import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../src/cli/after-publish.ts';
import type { Context } from '../../../src/cli/command.ts';
import { commandName } from '../../../src/cli/copyable-command.ts';
import { tempDir } from '../../support/temp.ts';
import { sampleBot } from './sample-bot.ts';

const PUBLISHED = { name: 'tracker', type: 'scheduled', version: '1.10.0' };

function context(instance?: object): Context {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'my bot'));
  if (instance !== undefined) writeFileSync(join(cwd, 'my bot', 'instance.json'), JSON.stringify(instance));
  return { cwd, name: commandName({ npm_lifecycle_event: 'npx' }) } as Context;
}

describe('nextSteps', () => {
  it('ends with the command that creates the first bot', async () => {
    const lines = await nextSteps(context({ version: '1.10.0' }), PUBLISHED, 'my bot', []);
    expect(lines.at(-1)).toBe('  npx platform bot deploy "my bot/instance.json"');
    expect(lines.join()).not.toContain('First set');
  });

  it('says so when the instance file names another version, or is not there', async () => {
    const [first] = await nextSteps(context({ version: '1.9.0' }), PUBLISHED, 'my bot', []);
    expect(first).toBe('First set "version": "1.10.0" in my bot/instance.json.');
    const without = await nextSteps(context(), PUBLISHED, 'my bot', []);
    expect(without.at(-1)).toBe('  npx platform bot deploy <instance.json>');
  });

  it('gives bots that run an older version the new one', async () => {
    const old = sampleBot({ name: 'sma live', version: '1.9.0' });
    const other = sampleBot({ type: 'scheduled/other', version: '1.9.0' });
    const lines = await nextSteps(context({ version: '1.10.0' }), PUBLISHED, 'my bot', [other, old]);
    expect(lines).toEqual([
      'A bot runs an older version. Give it this one with:',
      '  npx platform bot update "sma live" --version 1.10.0',
    ]);
    const many = [1, 2, 3, 4, 5].map((n) => sampleBot({ name: `b${n}`, version: '1.9.0' }));
    expect((await nextSteps(context(), PUBLISHED, '', many)).at(-1)).toBe('  and 2 more');
  });

  it('names the bots that use it already', async () => {
    expect(await nextSteps(context(), PUBLISHED, '', [sampleBot({ version: '1.10.0' })])).toEqual([
      'It is used by portfolio.',
    ]);
  });
});
