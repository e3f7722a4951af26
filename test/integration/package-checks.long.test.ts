import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileProblem } from '../../src/contract/custom-bot.ts';
import type { ProjectCheck } from '../../src/contract/project.ts';
import { packFolder } from '../../src/packaging/pack.ts';
import { dataOf, makeKey, modern } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { call } from '../support/tiny-bot.ts';

/** Whatever edits, validates, tries or publishes has to come to one verdict: the editor, command line, HTTP and MCP. */
const host = new TestHost();
let key = '';
beforeAll(async () => {
  await host.start();
  key = await makeKey(host, { extended: true });
});
afterAll(() => host.stop());

type Files = Readonly<Record<string, string>>;

const config = (name: string, more = ''): string =>
  `name: ${name}\nversion: "1.0.0"\ntype: realtime\nruntime: python311\nentrypoints:\n  bot: main.py\n${more}schema:\n  bot: bot-schema.json\n`;
const schema = JSON.stringify({
  title: 'A bot',
  description: 'A bot of a test.',
  type: 'object',
  properties: { n: { type: 'integer', description: 'A number.' } },
});
const good = (name: string): Files => ({
  'bot-config.yaml': config(name),
  'bot-schema.json': schema,
  'main.py': 'print("hello")\n',
});
const instance = (name: string, n: unknown): string =>
  JSON.stringify({ name: 'one', type: `realtime/${name}`, version: '1.0.0', config: { n } });

const PACKAGES: readonly (readonly [string, boolean, (name: string) => Files])[] = [
  ['good', true, good],
  ['with a good instance.json', true, (name) => ({ ...good(name), 'instance.json': instance(name, 1) })],
  [
    'without its query program',
    false,
    (name) => ({ ...good(name), 'bot-config.yaml': config(name, '  query: query.py\n') }),
  ],
  ['without its program', false, (name) => ({ 'bot-config.yaml': config(name), 'bot-schema.json': schema })],
  ['without its schema', false, (name) => ({ 'bot-config.yaml': config(name), 'main.py': '' })],
  ['without its readme', false, (name) => ({ ...good(name), 'bot-config.yaml': `${config(name)}readme: README.md\n` })],
  [
    'with a readme that is too long',
    false,
    (name) => ({ ...good(name), 'bot-config.yaml': `${config(name)}readme: R.md\n`, 'R.md': 'x'.repeat(900_000) }),
  ],
  ['with a mistake of syntax', false, (name) => ({ ...good(name), 'main.py': 'def main(:\n' })],
  ['with a schema that is no JSON', false, (name) => ({ ...good(name), 'bot-schema.json': '{' })],
  ['with a wrong instance.json', false, (name) => ({ ...good(name), 'instance.json': instance(name, 'many') })],
  ['with an instance.json that is no JSON', false, (name) => ({ ...good(name), 'instance.json': '{' })],
  [
    'of an unknown type',
    false,
    (name) => ({ ...good(name), 'bot-config.yaml': config(name).replace('realtime', 'event') }),
  ],
];

function folderOf(files: Files): string {
  const dir = tempDir();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

async function tool(
  name: string,
  files: Files,
): Promise<{ isError?: boolean; content: { type: string; text?: string }[] }> {
  const { body, headers } = modern('tools/call', { name, arguments: { files } });
  const sent = await host.fetch('/mcp/extended', {
    method: 'POST',
    headers: { ...headers, 'x-api-key': key },
    body: JSON.stringify(body),
  });
  return ((await sent.json()) as { result: { isError?: boolean; content: { type: string; text?: string }[] } }).result;
}

/** The problems that the editor lists for a folder. */
async function editorsProblems(dir: string): Promise<readonly FileProblem[]> {
  const { project_id } = await call<{ project_id: string }>(host, 'POST', '/api/v1/projects', { dir });
  const checked = await call<ProjectCheck>(host, 'POST', `/api/v1/projects/${project_id}/check`, {
    overlays: [],
    open: [],
  });
  expect(checked.valid).toBe(checked.problems.length === 0);
  return checked.problems;
}

interface Verified {
  readonly checks: readonly { readonly id: string; readonly level: string; readonly message: string }[];
}

describe.each(PACKAGES)('a package %s', (what, valid, make) => {
  const name = (by: string): string => `${by}-${what.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;

  it('is judged alike by validate and publish, over the command line, HTTP and MCP', async () => {
    const dir = folderOf(make(name('cli')));
    const validated = await host.cli('custom-bot', 'validate', dir, '--json');
    const deployed = await host.cli('custom-bot', 'deploy', dir);
    expect([validated.code === 0, deployed.code === 0], deployed.stderr).toEqual([valid, valid]);

    const files = make(name('http'));
    const checked = await call<{ valid: boolean }>(host, 'POST', '/api/v1/custom-bots/validate', { files });
    const { stream } = await packFolder(folderOf(files));
    const body = Buffer.concat(await stream.toArray());
    const published = await host.fetch('/api/v1/custom-bots', {
      method: 'POST',
      headers: { 'content-type': 'application/gzip' },
      body,
    });
    expect([checked.valid, published.status === 201], await published.text()).toEqual([valid, valid]);

    const given = make(name('mcp'));
    const [asked, made] = [await tool('custom_bot_validate', given), await tool('custom_bot_publish', given)];
    expect([dataOf(asked).valid, made.isError !== true], JSON.stringify(made)).toEqual([valid, valid]);
  });

  it('is judged alike by the editor, validate and verify, in the same words', async () => {
    const dir = folderOf(make(name('folder')));
    const validated = await host.cli('custom-bot', 'validate', dir, '--json');
    const { problems } = JSON.parse(validated.stdout) as ProjectCheck;
    expect(problems.length === 0).toBe(valid);
    expect(await editorsProblems(dir)).toEqual(problems);

    const tried = await host.cli('custom-bot', 'verify', dir, '--seconds', '1', '--no-vendor', '--json');
    const { checks } = JSON.parse(tried.stdout) as Verified;
    const ofFiles = checks.filter(({ id }) => id === 'valid');
    expect(ofFiles.map(({ level }) => level)).toEqual(valid ? ['ok'] : problems.map(() => 'fault'));
    for (const { message } of problems) expect(ofFiles.map((one) => one.message).join('\n')).toContain(message);
    // What cannot be published is not tried: its start would say the same again.
    expect(checks.some(({ id }) => id === 'starts')).toBe(valid);
  });
});
