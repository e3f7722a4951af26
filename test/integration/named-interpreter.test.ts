import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AllowedInterpreters } from '../../src/main/host/engine/allowed-interpreters.ts';
import type { Engine } from '../../src/main/host/engine/engine.ts';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { Sandbox } from '../../src/main/host/engine/process/sandbox.ts';
import { createProject } from '../../src/project/create-project.ts';
import type { TemplateName } from '../../src/runtimes/registry.ts';
import { tempDir } from '../support/temp.ts';
import { answerOf, LOCAL_PARTS, output, resultOf, stateDirOf, unitSpec } from '../support/units.ts';
import { until } from '../support/until.ts';
import { begin } from './engine-contract.ts';

const resourcesDir = resolve(import.meta.dirname, '../../resources');

/** The list of a host that looks for programs where this machine has them. */
const listOf = (): AllowedInterpreters =>
  new AllowedInterpreters({
    ...{ stored: {}, closed: [], searchPath: process.env.PATH ?? '' },
    save: async () => undefined,
  });

async function allowing(...names: readonly string[]): Promise<AllowedInterpreters> {
  const list = listOf();
  for (const name of names) await list.allow({ name });
  return list;
}

function codeOf(template: TemplateName): string {
  const dir = join(tempDir('named-'), 'my-bot');
  createProject({ dir, template, resourcesDir, nameHint: '' });
  return dir;
}

/** Code of one file. */
function scriptOf(text: string): string {
  const dir = tempDir('script-');
  writeFileSync(join(dir, 'bot.sh'), text);
  return dir;
}

const AWK = { interpreter: 'awk', arguments: ['-f'] };

type Make = (list: AllowedInterpreters) => Engine;
const plain: Make = (list) => createProcessEngine({ ...LOCAL_PARTS, named: (one) => list.fileOf(one) });
const sandboxed: Make = (list) =>
  createProcessEngine({
    ...LOCAL_PARTS,
    named: (one) => list.fileOf(one),
    sandbox: new Sandbox(join(resourcesDir, 'sandbox')),
    way: async (botId) => ({ port: 9, identity: `${botId}-x` }),
  });

const ENGINES: readonly (readonly [string, Make])[] = [
  ['as a plain process', plain],
  ...(process.platform === 'linux' ? ([['in the sandbox', sandboxed]] as const) : []),
];

describe.skipIf(process.platform === 'win32').each(ENGINES)('an interpreter that a package names, %s', (_, make) => {
  it('runs the Bash bot until it is stopped, which keeps its state', async () => {
    const codeDir = codeOf('command-bash');
    const spec = unitSpec(tempDir(), 'bot.sh', {
      ...{ runtime: 'command', command: { interpreter: 'bash' }, codeDir, botType: 'realtime' },
      env: { BOT_ID: 'bot_1', BOT_CONFIG: '{"symbol":"BTC","interval_ms":100}', BOT_TYPE: 'realtime' },
    });
    const { unit } = await begin(make(await allowing('bash')), spec);
    await until('its second round', () => output(unit).includes('{"_metric":"round","symbol":"BTC","rounds":2}'));
    expect(await unit.stop(10_000)).toMatchObject({ exitCode: 0, signal: null });
    expect(output(unit)).toMatch(/^bot_1 \(my-bot\) starts with BTC\n.*bot_1 stops\n$/s);
    // Of a program that a stop met in its work Bash says "Terminated"; of an error it would name the line.
    expect(output(unit, 'stderr')).not.toContain('bot.sh');
    const stored = readFileSync(join(stateDirOf('bot_1'), '.platform/bot_state.json'), 'utf8');
    expect(JSON.parse(stored).rounds).toBeGreaterThanOrEqual(1);
  });

  it('runs the Awk bot, whose second run goes on where the first has ended, and answers a query', async () => {
    const codeDir = codeOf('command-awk');
    const engine = make(await allowing('awk'));
    const root = tempDir();
    const own = { runtime: 'command', command: AWK, codeDir } as const;
    for (const run of [1, 2]) {
      const { unit } = await begin(engine, unitSpec(root, 'bot.awk', own));
      expect(await unit.exited).toMatchObject({ exitCode: 0 });
      expect(await resultOf(unit)).toEqual({ status: 'success', message: `run ${run} is done` });
      expect(output(unit)).toMatch(/^\{"_metric":"price","symbol":"AAPL","value":\d+\.\d\d\}\nINFO run \d of bot_1\n$/);
    }
    const ask = async (path: string): Promise<unknown> => {
      const env = { BOT_ID: 'bot_1', BOT_CONFIG: '{}', BOT_TYPE: 'scheduled', QUERY_PATH: path, QUERY_PARAMS: '{}' };
      const spec = unitSpec(root, 'query.awk', { ...own, role: 'query', queryRun: true, env });
      const { unit } = await begin(engine, spec);
      expect(await unit.exited).toMatchObject({ exitCode: 0 });
      return answerOf(unit);
    };
    expect(await ask('/status')).toMatchObject({ status: 'ok', data: { name: 'my-bot', state: { runs: 2 } } });
    expect(await ask('/nothing')).toMatchObject({ status: 'error', available: ['/status'] });
  });

  it('is not started while nobody allows it, and says so before a start as well', async () => {
    const codeDir = scriptOf('echo it ran\n');
    const command = { interpreter: 'bash' };
    for (const engine of [make(listOf()), make(await allowing('awk')), createProcessEngine(LOCAL_PARTS)]) {
      const refused = { code: 'INTERPRETER_NOT_ALLOWED' };
      await expect(engine.prepare('command', undefined, command)).rejects.toMatchObject(refused);
      const spec = unitSpec(tempDir(), 'bot.sh', { runtime: 'command', command, codeDir });
      await expect(engine.start(spec, () => undefined)).rejects.toMatchObject(refused);
    }
  });

  it('that was replaced by a link once it was asked for is not started', async () => {
    const bin = realpathSync(tempDir('bin-'));
    const [file, evil] = [join(bin, 'mybash'), join(bin, 'evil')];
    cpSync('/bin/bash', file, { dereference: true });
    const ran = join(bin, 'ran');
    writeFileSync(evil, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    const list = listOf();
    await list.allow({ name: 'mybash', path: file });
    const engine = make(list);
    const command = { interpreter: 'mybash' };
    await engine.prepare('command', undefined, command);
    renameSync(file, `${file}-2`);
    symlinkSync(evil, file);
    const spec = unitSpec(tempDir(), 'bot.sh', { runtime: 'command', command, codeDir: scriptOf('echo\n') });
    await expect(engine.start(spec, () => undefined)).rejects.toMatchObject({ code: 'INTERPRETER_UNUSABLE' });
    expect(existsSync(ran)).toBe(false);
  });

  it('is the file that an owner chose, whatever else of its name a package or its state holds', async () => {
    const codeDir = scriptOf('echo the real one\n');
    writeFileSync(join(codeDir, 'bash'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const spec = unitSpec(tempDir(), 'bot.sh', { runtime: 'command', command: { interpreter: 'bash' }, codeDir });
    const { unit } = await begin(make(await allowing('bash')), spec);
    expect(await unit.exited).toMatchObject({ exitCode: 0 });
    expect(output(unit)).toBe('the real one\n');
  });
});

it.runIf(process.platform === 'linux')(
  'in the sandbox an interpreter is there to read, and nothing beside its installation is',
  async () => {
    const root = realpathSync(tempDir('own-'));
    const [bin, secret] = [join(root, 'bin'), join(root, 'secret')];
    mkdirSync(bin);
    const file = join(bin, 'mybash');
    cpSync('/bin/bash', file, { dereference: true });
    writeFileSync(secret, 'of nobody else\n');
    const list = listOf();
    await list.allow({ name: 'mybash', path: file });
    const codeDir = scriptOf(
      [
        'attempt() { if "$@" 2>/dev/null; then echo "open: $*"; else echo "held: $1"; fi; }',
        `read_it() { : < "$1"; }`,
        `append() { : >> "$1"; }`,
        `attempt read_it ${secret}`,
        `attempt append ${file}`,
        `attempt append ${join(bin, 'new')}`,
        `attempt append bot.sh`,
        `attempt ln -s /bin/true ${join(bin, 'link')}`,
        `attempt mv ${file} ${file}-2`,
        'echo done',
      ].join('\n'),
    );
    const spec = unitSpec(tempDir(), 'bot.sh', { runtime: 'command', command: { interpreter: 'mybash' }, codeDir });
    const { unit } = await begin(sandboxed(list), spec);
    expect(await unit.exited).toMatchObject({ exitCode: 0 });
    expect(output(unit).split('\n')).toEqual([
      ...['held: read_it', 'held: append', 'held: append', 'held: append', 'held: ln', 'held: mv'],
      ...['done', ''],
    ]);
    expect(unit.confinement.level).toBe('sandbox');
  },
);
