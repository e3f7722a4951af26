import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkRuntimes } from '../../src/cli/doctor/machine.ts';
import { CustomBotVersion, Runtime } from '../../src/contract/custom-bot.ts';
import { Template } from '../../src/contract/project.ts';
import { SITES } from '../../src/main/desktop/trusted-link.ts';
import { classify } from '../../src/main/host/bots/failure/classify.ts';
import type { FailedRun } from '../../src/main/host/bots/failure/failure-types.ts';
import { readSettings } from '../../src/main/host/compose/settings.ts';
import { missingIn } from '../../src/main/host/engine/docker/image-check.ts';
import type { Unit } from '../../src/main/host/engine/engine.ts';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { needsOf } from '../../src/main/host/engine/runtime-needs.ts';
import { openApi } from '../../src/main/host/http/openapi.ts';
import { complete, PROMPTS } from '../../src/main/host/mcp/prompts.ts';
import type { ToolCaller } from '../../src/main/host/mcp/tool.ts';
import { vendorDependencies } from '../../src/packaging/vendor.ts';
import { createProject } from '../../src/project/create-project.ts';
import { startEntry } from '../../src/project/local-run.ts';
import { CHECKED_LANGUAGES } from '../../src/project/program-syntax.ts';
import { readPackage } from '../../src/project/read-package.ts';
import { folderSource, readProjectFiles, usableProject } from '../../src/project/read-project.ts';
import { CONFIG_FIELDS } from '../../src/renderer/pages/editor/monaco/bot-config-fields.ts';
import { suggestionsOf } from '../../src/renderer/pages/editor/monaco/sdk-help.ts';
import { canonicalRuntime, LANGUAGES, TEMPLATES } from '../../src/runtimes/registry.ts';
import { BASH_IMAGE } from '../support/bash-runtime.ts';
import { dockerAt, dockerForTests } from '../support/docker.ts';
import { dockerEngine, newHostId } from '../support/docker-engine.ts';
import { tempDir } from '../support/temp.ts';
import { LOCAL_PARTS, output, RUNNERS, unitSpec } from '../support/units.ts';
import { begin } from './engine-contract.ts';

// The list of families with one more: nothing else of the product is told of it.
vi.mock('../../src/runtimes/all.ts', async (original) => {
  const { SUMMARIES, DESCRIPTORS } = await original<typeof import('../../src/runtimes/all.ts')>();
  const { BASH, BASH_SUMMARY } = await import('../support/bash-runtime.ts');
  return { SUMMARIES: [...SUMMARIES, BASH_SUMMARY], DESCRIPTORS: [...DESCRIPTORS, BASH] };
});

const BOT = 'echo "library: $BASH_LIBRARY, $1"\n';
const TARGET = { os: process.platform, arch: process.arch, where: 'this machine' };

/** A project of the new runtime, with some files in place of others. */
function project(files: Readonly<Record<string, string>> = {}): string {
  const dir = join(tempDir('new-runtime-'), 'my-bot');
  const all = {
    'bot-config.yaml':
      'name: my-bot\nversion: "1.0.0"\ntype: scheduled\nruntime: bash\nentrypoints:\n  bot: bot.bash5\nschema:\n  bot: bot-schema.json\n',
    'bot-schema.json': '{"type": "object", "properties": {}}',
    'bot.bash5': BOT,
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}

const checked = (dir: string) => readPackage(dir, ['bot-config.yaml', 'bot-schema.json', 'bot.bash5'], TARGET);

describe.skipIf(process.platform === 'win32')('a runtime that is one more file', () => {
  it('is in the lists of the contract, the settings and the documents of the API', () => {
    expect(Runtime.options.at(-1)).toBe('bash5');
    expect(canonicalRuntime('bash')).toBe('bash5');
    expect(CustomBotVersion.shape.runtime.safeParse('bash5').success).toBe(true);
    expect(Template.options).toContain('bash');
    expect(JSON.stringify(openApi('1.0.0'))).toContain('"dotnet8","bash5"');
    const dataDir = tempDir();
    writeFileSync(join(dataDir, 'settings.json'), '{"images": {"bash5": "my/bash:5"}}');
    expect(readSettings(dataDir).images).toEqual({ bash5: 'my/bash:5' });
  });

  it('is accepted in a package, whose entry and syntax are checked', async () => {
    const { content, faults, problems } = await checked(project());
    expect([content?.runtime, faults, problems]).toEqual(['bash5', [], []]);
    const wrong = project();
    const config = join(wrong, 'bot-config.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replace('bot.bash5', 'bot.sh'));
    expect((await checked(wrong)).problems).toEqual([
      expect.objectContaining({ message: 'entrypoints.bot must be a .bash5 for bash5' }),
    ]);
    const broken = await checked(project({ 'bot.bash5': 'echo\nfi\n' }));
    expect(broken.faults).toEqual([expect.objectContaining({ file: 'bot.bash5', line: 2 })]);
    expect(broken.faults[0]?.message).toMatch(/^Bash: /);
    expect(CHECKED_LANGUAGES).toBe('Python, Bash');
  });

  it('has a template, which gets what it copies', () => {
    const resourcesDir = tempDir('resources-');
    for (const [folder, name] of [
      ['templates/bash', 'bot.bash5'],
      ['sdk/bash', 'platform_sdk.sh'],
    ] as const) {
      mkdirSync(join(resourcesDir, folder), { recursive: true });
      writeFileSync(join(resourcesDir, folder, name), '# {{name}}\n');
    }
    const dir = join(tempDir(), 'fresh');
    createProject({ dir, template: Template.parse('bash'), resourcesDir, nameHint: '' });
    expect(readFileSync(join(dir, 'bot.bash5'), 'utf8')).toBe('# fresh\n');
    expect(existsSync(join(dir, 'sdk/platform_sdk.sh'))).toBe(true);
  });

  it('gets its dependencies into the package, with its tool', async () => {
    const dir = project({ 'library.txt': 'source.sh\n', 'source.sh': 'true\n' });
    expect(await vendorDependencies(dir, Runtime.parse('bash5'))).toEqual({ overlays: {}, changed: true });
    expect(existsSync(join(dir, 'library/source.sh'))).toBe(true);
    expect((await vendorDependencies(dir, Runtime.parse('bash5'))).changed).toBe(false);
  });

  it('runs on this machine without being published', async () => {
    const dir = project();
    const reading = await readProjectFiles(folderSource(dir));
    if (reading === null) throw new Error('no project');
    const dev = { config: {}, workDir: tempDir(), runnersDir: RUNNERS, node: process.execPath, env: process.env };
    const child = startEntry({ ...dev, project: usableProject(reading) }, 'bot.bash5');
    const [printed] = await Promise.all([text(child.stdout ?? process.stdin), once(child, 'close')]);
    expect(printed).toBe(`library: ${join(dir, 'library')}, \n`);
  });

  it('is found and started by the process engine, with its environment', async () => {
    const codeDir = project();
    const spec = unitSpec(tempDir(), 'bot.bash5', { runtime: 'bash5', codeDir });
    const { unit } = await begin(createProcessEngine(LOCAL_PARTS), spec);
    expect(await unit.exited).toMatchObject({ exitCode: 0 });
    expect(output(unit)).toBe(`library: ${join(codeDir, 'library')}, \n`);
  });

  it('that is not installed is named, with what to do', async () => {
    const { PATH } = process.env;
    onTestFinished(() => {
      process.env.PATH = PATH;
    });
    process.env.PATH = tempDir();
    await expect(createProcessEngine(LOCAL_PARTS).prepare('bash5')).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'This bot needs Bash 5.0 or later on this machine, but found: bash: not installed.',
      hint: expect.stringContaining('Install Bash 5.0'),
    });
  });

  it('has its errors read, so that a failed run says where and why', async () => {
    const codeDir = project({ 'bot.bash5': 'echo begin\nno_such_command\nexit 3\n' });
    const spec = unitSpec(tempDir(), 'bot.bash5', { runtime: 'bash5', codeDir });
    const { unit } = await begin(createProcessEngine(LOCAL_PARTS), spec);
    const { exitCode, signal } = await unit.exited;
    const run = { ...runOf(unit, codeDir), exitCode, signal };
    expect(classify(run)).toMatchObject({
      code: 'LIBRARY_MISSING',
      message: 'The Bash module no_such_command is not in the package (bot.bash5:2).',
      next: { action: 'Put no_such_command into the library.' },
    });
    const other = { ...run, lines: [lineOf('bot.bash5: line 7: division by 0', 1)] };
    expect(classify(other)).toMatchObject({ code: 'EXIT_CODE', message: expect.stringContaining('in bot.bash5:7') });
  });

  it('is looked for by the doctor', async () => {
    expect((await checkRuntimes()).find(({ id }) => id === 'bash')).toMatchObject({
      name: 'Bash',
      level: 'ok',
      message: expect.stringContaining('version 5'),
    });
  });

  it('is in the editor: its languages, its SDK, its template and the values of bot-config.yaml', () => {
    const language = LANGUAGES.find(({ extensions }) => extensions.includes('.bash5'));
    expect(language).toMatchObject({ id: 'shell' });
    if (language?.sdk === undefined) throw new Error('no SDK');
    expect(suggestionsOf(language.sdk, 'value=state.').map(({ name }) => name)).toEqual(['state.get']);
    expect(TEMPLATES.get(Template.parse('bash'))?.label).toBe('Bash script');
    expect(CONFIG_FIELDS.find(({ path }) => path === 'runtime')?.values).toContain('bash5');
  });

  it('is offered to assistants, and its site is opened by the desktop app', async () => {
    const prompt = PROMPTS.find(({ name }) => name === 'author_bot');
    expect(prompt?.arguments.find(({ name }) => name === 'runtime')?.description).toContain('dotnet8, bash5; default');
    const argument = { name: 'runtime', value: 'bas' };
    const caller = {} as unknown as ToolCaller;
    expect((await complete({ argument }, caller)).completion.values).toEqual(['bash5']);
    expect(SITES).toContain('www.gnu.org');
  });
});

describe('the image of a runtime that is one more file', async () => {
  it('is judged by what its interpreter says', () => {
    expect(missingIn(needsOf('bash5'), 'shell\n/usr/bin/bash\n5.2\n')).toBeNull();
    expect(missingIn(needsOf('bash5'), 'shell\n/bin/bash\n4.4\n')).toBe('it has Bash 4.4, and 5.0 or later is needed');
    expect(missingIn(needsOf('bash5'), 'shell\n')).toBe('it has no bash');
  });

  const found = await dockerForTests();
  it.skipIf('reason' in found)('is checked, and its bots run in it', async () => {
    const address = 'host' in found ? found.host : '';
    await makeImage(dockerAt(address));
    const { engine } = dockerEngine(address, newHostId());
    onTestFinished(() => engine.close());
    await engine.probe();
    await engine.prepare('bash5');
    const spec = unitSpec(tempDir(), 'bot.bash5', { runtime: 'bash5', codeDir: project() });
    const { unit } = await begin(engine, spec);
    expect(await unit.exited).toMatchObject({ exitCode: 0 });
    expect(output(unit)).toBe('library: /bot/library, \n');
  });
});

/** Answers as Bash does, and runs scripts with the shell that is there. */
const STAND_IN = '#!/bin/sh\nif [ "$1" = -c ]; then echo "$0"; echo 5.2; else shift 2; exec /bin/sh "$@"; fi\n';

async function makeImage(docker: ReturnType<typeof dockerAt>): Promise<void> {
  const context = pack();
  context.entry({ name: 'Dockerfile' }, 'FROM debian:trixie-slim\nCOPY bash /usr/bin/\n');
  context.entry({ name: 'bash', mode: 0o755 }, STAND_IN);
  context.finalize();
  const stream = await docker.buildImage(Readable.from(context), { t: BASH_IMAGE, version: '1' });
  await new Promise<void>((done, failed) => {
    docker.modem.followProgress(stream, (error) => (error === null ? done() : failed(error)));
  });
  onTestFinished(() => docker.getImage(BASH_IMAGE).remove({ force: true }));
}

const lineOf = (message: string, seq: number): FailedRun['lines'][number] => ({
  seq,
  ts: new Date(seq).toISOString(),
  level: 'error',
  source: 'stderr',
  message,
  fields: null,
});

function runOf(unit: Unit, codeDir: string): FailedRun {
  const lines = output(unit, 'stderr').trim().split('\n').map(lineOf);
  return {
    botId: 'bot_1',
    runId: 'run_1',
    role: 'bot',
    codeDir,
    status: 'failed',
    exitCode: 1,
    signal: null,
    reason: null,
    durationMs: 5000,
    memoryMb: null,
    lines,
  };
}
