import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProject } from '../../../src/cli/read-project-folder.ts';
import { checkInstance, configOf } from '../../../src/project/instance-check.ts';
import { type Project, usableProject } from '../../../src/project/read-project.ts';
import { tempDir } from '../../support/temp.ts';

async function project(type: 'realtime' | 'scheduled'): Promise<Project> {
  const dir = mkdtempSync(join(tempDir(), 'project-'));
  writeFileSync(
    join(dir, 'bot-config.yaml'),
    `name: sample\ndescription: d\nversion: "0.1.0"\nauthor: a\ntype: ${type}\nruntime: python311\nentrypoints:\n  bot: bot.py\nschema:\n  bot: bot-schema.json\n`,
  );
  writeFileSync(join(dir, 'bot-schema.json'), '{"type":"object","properties":{"a":{"type":"integer","maximum":5}}}');
  writeFileSync(join(dir, 'bot.py'), '');
  return usableProject(await readProject(dir));
}

const GOOD = { name: 's', type: 'scheduled/sample', version: '0.1.0', schedule: '0 14 * * *', config: { a: 1 } };
const lines = (of: Project, instance: unknown): string[] =>
  checkInstance(of, JSON.stringify(instance, null, 2)).map(
    ({ line, column, message }) => `${line}:${column} ${message}`,
  );

describe('checkInstance', () => {
  it('finds nothing in what the host takes, nested or flat', async () => {
    const scheduled = await project('scheduled');
    expect(lines(scheduled, GOOD)).toEqual([]);
    expect(lines(scheduled, { ...GOOD, config: undefined, a: 1 })).toEqual([]);
    expect(lines(scheduled, { ...GOOD, options: { timeout_sec: 5 } })).toEqual([]);
  });

  it('names each fault with its place', async () => {
    const scheduled = await project('scheduled');
    const { schedule: _, ...bare } = GOOD;
    expect(lines(scheduled, { ...bare, type: 'realtime/sample', config: { a: 9 } })).toEqual([
      '3:11 type: realtime/sample is not this project',
      '1:1 schedule: a scheduled bot needs a schedule',
      expect.stringMatching(/^6:10 config\.a: /),
    ]);
    expect(lines(scheduled, { ...GOOD, enabled: 'yes' })).toEqual([
      '9:14 enabled: must be true or false, not text in quotes',
    ]);
    expect(lines(scheduled, { ...GOOD, schedule: '* * *' })).toEqual([expect.stringMatching(/^5:15 schedule: has 3/)]);
    const realtime = { ...GOOD, type: 'realtime/sample' };
    expect(lines(await project('realtime'), realtime)).toEqual(['5:15 schedule: a realtime bot has no schedule']);
  });

  it('names options and keys that are not known, with the one that was meant', async () => {
    const scheduled = await project('scheduled');
    const text = JSON.stringify({ ...GOOD, versoin: '1', options: { timeout_secs: 5, overlap: 'skp' } });
    expect(checkInstance(scheduled, text).map(({ message, hint }) => [message, hint.split('.')[0]])).toEqual([
      ['versoin: unknown key', expect.stringContaining('Did you mean version?')],
      ['options.overlap: must be skip or allow; did you mean skip?', ''],
      ['options.timeout_secs: there is no such option', expect.stringContaining('Did you mean timeout_sec?')],
    ]);
  });

  it('says where JSON breaks off', async () => {
    const [problem] = checkInstance(await project('scheduled'), '{\n  "name": }');
    expect(problem).toMatchObject({
      file: 'instance.json',
      line: 2,
      message: expect.stringContaining('not valid JSON'),
    });
  });
});

it('configOf reads the nested form and the flat one', () => {
  expect(configOf({ name: 'x', type: 't', config: { a: 1 } })).toEqual({ a: 1 });
  expect(configOf({ name: 'x', type: 't', schedule: '*', a: 1 })).toEqual({ a: 1 });
});

describe('readProject', () => {
  it('says that there is no such folder, or that it is a file', async () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'file'), '');
    await expect(readProject(dir, 'no dir')).rejects.toMatchObject({
      message: 'no dir: there is no such folder',
      hint: expect.stringContaining('`platform init "no dir"`'),
    });
    await expect(readProject(dir, 'file')).rejects.toMatchObject({ message: expect.stringContaining('is a file') });
  });

  it('gives the command that builds a compiled bot', async () => {
    const dir = tempDir();
    writeFileSync(
      join(dir, 'bot-config.yaml'),
      'name: sample\ndescription: d\nversion: "0.1.0"\nauthor: a\ntype: realtime\nruntime: gcc13\nentrypoints:\n  bot: build/bot\nschema:\n  bot: bot-schema.json\n',
    );
    writeFileSync(join(dir, 'bot-schema.json'), '{"type":"object"}');
    const hint = async (cwd: string, given?: string) => (await readProject(cwd, given)).problems[0]?.hint;
    expect(await hint(dir)).not.toContain('make');
    writeFileSync(join(dir, 'Makefile'), '');
    expect(await hint(dir)).toContain('`make`');
    expect(await hint('/', dir)).toContain(`\`make -C ${dir}\``);
  });
});
