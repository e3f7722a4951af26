import { execFileSync } from 'node:child_process';
import {
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContainerUser } from '../../../../../../src/main/host/engine/docker/facts.ts';
import {
  makeUnitFiles,
  outputsOf,
  readEnd,
  unitFiles,
  writeEnd,
} from '../../../../../../src/main/host/engine/docker/unit-files.ts';
import type { UnitSpec } from '../../../../../../src/main/host/engine/engine.ts';
import { tempDir } from '../../../../../support/temp.ts';
import { stateDirOf, unitSpec } from '../../../../../support/units.ts';

const NOBODY = 65_534;
const SAME: ContainerUser = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, handOver: false };
const HANDED: ContainerUser = { uid: NOBODY, gid: NOBODY, handOver: true };
const windows = process.platform === 'win32';
const isRoot = process.getuid?.() === 0;

const owned = ({ role, botId }: UnitSpec) => ({ role, stateDir: stateDirOf(botId) });

async function made(env: Record<string, string>, user = SAME, root = tempDir('unit-files-')) {
  const spec = unitSpec(root, 'bot');
  const files = unitFiles(spec.runDir, 'bot');
  await makeUnitFiles(owned(spec), files, user, env);
  return { spec, files, root };
}

/** The value of a variable after a real shell has read the file as the start wrapper does. */
function readByShell(config: string, name: string): string {
  const script = `. "$1" || exit 125\nprintf %s "$${name}"`;
  return execFileSync('/bin/sh', ['-c', script, 'sh', config], { env: { PATH: '' }, maxBuffer: 1 << 26 }).toString();
}

describe.skipIf(windows)('the config reaches the program through a shell', () => {
  it.each([
    ['plain JSON', '{"a":1}'],
    ['nothing', ''],
    ['single quotes', "it's '' ''' 'quoted'"],
    ['double quotes', '{"a":"say \\"hi\\""}'],
    ['a backslash at the end', 'C:\\temp\\'],
    ['new lines', 'one\ntwo\r\n\nfour\n.'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: for the shell
    ['substitution', '$(touch /tmp/pwned) `id` ${HOME} $HOME $$ $((1+1))'],
    ['what ends a command', "'; exit 1; echo '"],
    ['what a shell expands', '~ * ? [a] {a,b} !! # & | < > ( )'],
    ['other alphabets', 'π 日本語 🚀 é e\u0301 \u202e'],
    ['control characters', '\u0001\u0007\u001b[31m\u007f\t'],
    ['100 KB of quotes', "'".repeat(100 * 1024)],
  ])('%s', async (_, value) => {
    const { files } = await made({ BOT_CONFIG: value, CONFIG: 'other' });
    expect(readByShell(files.config, 'BOT_CONFIG')).toBe(value);
    expect(readByShell(files.config, 'CONFIG')).toBe('other');
  });

  it('and nobody else: also what lies around it is closed', async () => {
    const { files } = await made({ BOT_CONFIG: 'x' });
    expect(statSync(files.config).mode & 0o777).toBe(0o400);
    expect(statSync(files.answers).mode & 0o777).toBe(0o700);
    for (const { path } of outputsOf(files)) expect(statSync(path).mode & 0o777).toBe(0o600);
    // To be entered by the user inside, not to be listed or changed.
    expect(statSync(files.spool).mode & 0o777).toBe(0o711);
  });
});

it.skipIf(windows)(
  'a program that is started again goes on in its output, with no answer or end of the earlier one',
  async () => {
    const { spec, files } = await made({ BOT_CONFIG: 'first' });
    writeFileSync(files.stdout, 'said\n');
    writeFileSync(files.queryResult, 'old');
    await writeEnd(files, { exitCode: 1, signal: null, endedAt: 7 });
    await makeUnitFiles(owned(spec), files, SAME, { BOT_CONFIG: 'second' });
    expect(readFileSync(files.stdout, 'utf8')).toBe('said\n');
    expect(await readEnd(files)).toBeNull();
    expect(() => statSync(files.queryResult)).toThrow('ENOENT');
    expect(readByShell(files.config, 'BOT_CONFIG')).toBe('second');
  },
);

describe.skipIf(!isRoot)('a host that runs as root', () => {
  it('hands over what the program writes, and nothing that it only reads', async () => {
    const { spec, files } = await made({ BOT_CONFIG: 'x' }, HANDED);
    for (const path of [files.stdout, files.stderr, files.config, files.answers, stateDirOf(spec.botId)]) {
      expect(statSync(path).uid).toBe(NOBODY);
    }
    expect(statSync(join(stateDirOf(spec.botId), '.platform')).uid).toBe(NOBODY);
    for (const path of [spec.runDir, files.spool]) expect(statSync(path).uid).toBe(0);
  });

  it('follows no link out of the state', async () => {
    const root = tempDir('unit-files-');
    const outside = join(root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'ours');
    const state = join(root, 'state');
    mkdirSync(join(state, 'deep/er'), { recursive: true });
    writeFileSync(join(state, 'deep/er/key.json'), '1');
    symlinkSync(outside, join(state, 'folder'));
    symlinkSync(join(outside, 'file'), join(state, 'deep/link'));
    await made({}, HANDED, root);
    expect(statSync(outside).uid).toBe(0);
    expect(statSync(join(outside, 'file')).uid).toBe(0);
    expect(lstatSync(join(state, 'folder')).uid).toBe(NOBODY);
    expect(statSync(join(state, 'deep/er/key.json')).uid).toBe(NOBODY);
  });

  it('hands nothing over when the state itself has become a link', async () => {
    const root = tempDir('unit-files-');
    const spec = unitSpec(root, 'bot');
    const outside = join(root, 'outside');
    renameSync(stateDirOf(spec.botId), outside);
    writeFileSync(join(outside, 'file'), 'ours');
    symlinkSync(outside, stateDirOf(spec.botId));
    await expect(makeUnitFiles(owned(spec), unitFiles(spec.runDir, 'bot'), HANDED, {})).rejects.toThrow(
      /ELOOP|ENOTDIR/,
    );
    expect(statSync(outside).uid).toBe(0);
    expect(statSync(join(outside, 'file')).uid).toBe(0);
  });

  it('gives a query program the state only where no container has had it yet', async () => {
    const root = tempDir('unit-files-');
    const { spec } = await made({}, HANDED, root);
    const late = join(stateDirOf(spec.botId), 'late');
    writeFileSync(late, '1');
    chownSync(late, 0, 0);
    const query = unitSpec(root, 'query', { role: 'query' });
    await makeUnitFiles(owned(query), unitFiles(query.runDir, 'query'), HANDED, {});
    expect(statSync(late).uid).toBe(0);
    chownSync(join(stateDirOf(spec.botId), '.platform'), 0, 0);
    await makeUnitFiles(owned(query), unitFiles(query.runDir, 'query'), HANDED, {});
    expect(statSync(late).uid).toBe(NOBODY);
  });
});

describe('the end that is written down', () => {
  it.each([
    { exitCode: 3, signal: null, endedAt: 12 },
    { exitCode: null, signal: 'SIGKILL', endedAt: 12, limit: 'out of memory: allowed are 64 MB' },
  ])('%j is read as it was', async (exit) => {
    const { files } = await made({});
    await writeEnd(files, exit);
    expect(await readEnd(files)).toEqual(exit);
  });

  it('is unknown where nobody wrote it', async () => {
    expect(await readEnd(unitFiles(tempDir(), 'bot'))).toBeNull();
  });
});
