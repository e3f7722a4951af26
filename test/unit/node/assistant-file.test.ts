import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeEntries } from '../../../src/node/assistant-file.ts';
import { ASSISTANTS, type Reach, type Setup, setupOf } from '../../../src/shared/assistants.ts';
import { tempDir } from '../../support/temp.ts';

const KEY = 'plat_new';
const reachIn = (home: string): Reach => ({
  url: 'http://127.0.0.1:4747',
  extended: false,
  program: ['/usr/bin/node', '/opt/platform.js'],
  typed: ['platform'],
  arguments: [],
  machine: { os: 'linux', home, env: {} },
});
const fileOf = (setup: Setup): string => setup.file ?? '';
const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe.each(ASSISTANTS.filter((name) => name !== 'generic'))('the file of %s', (name) => {
  it('is made in its folder, for its owner only', () => {
    const setup = setupOf(name, reachIn(tempDir()), KEY);
    expect(writeEntries([setup], fileOf(setup))).toBeNull();
    expect(modeOf(fileOf(setup))).toBe(0o600);
    expect(readFileSync(fileOf(setup), 'utf8').includes(KEY)).toBe(setup.keyIn === 'entry');
    expect(readdirSync(dirname(fileOf(setup)))).toHaveLength(1);
  });

  it('keeps what was there, and a copy of what it was', () => {
    const setup = setupOf(name, reachIn(tempDir()), KEY);
    const before = setup.format === 'toml' ? 'model = "m"\n' : '{"theme": "dark"}\n';
    mkdirSync(dirname(fileOf(setup)), { recursive: true });
    writeFileSync(fileOf(setup), before, { mode: 0o644 });
    const backup = writeEntries([setup], fileOf(setup)) ?? '';
    expect(readFileSync(backup, 'utf8')).toBe(before);
    expect(modeOf(backup)).toBe(0o600);
    expect(modeOf(fileOf(setup))).toBe(0o600);
    const after = readFileSync(fileOf(setup), 'utf8');
    expect(after).toContain(setup.format === 'toml' ? 'model = "m"' : '"theme": "dark"');
    expect(after).toContain(setup.server);
  });
});

it('takes over its own entry with what the user added to it, and nothing of an earlier way to connect', () => {
  const setup = setupOf('cursor', reachIn(tempDir()), KEY);
  mkdirSync(dirname(fileOf(setup)), { recursive: true });
  const old = { command: 'platform', args: ['mcp'], env: { PLATFORM_API_KEY: 'old' }, disabled: true };
  writeFileSync(fileOf(setup), JSON.stringify({ mcpServers: { [setup.server]: old, other: { url: 'x' } } }));
  writeEntries([setup], fileOf(setup));
  expect(JSON.parse(readFileSync(fileOf(setup), 'utf8'))).toEqual({
    mcpServers: { [setup.server]: { ...setup.entry, disabled: true }, other: { url: 'x' } },
  });
});

it('leaves a damaged file alone', () => {
  const setup = setupOf('cursor', reachIn(tempDir()), KEY);
  mkdirSync(dirname(fileOf(setup)), { recursive: true });
  writeFileSync(fileOf(setup), '{"mcpServers": ');
  expect(() => writeEntries([setup], fileOf(setup))).toThrow('line 1');
  expect(readFileSync(fileOf(setup), 'utf8')).toBe('{"mcpServers": ');
  expect(readdirSync(dirname(fileOf(setup)))).toHaveLength(1);
});

it('leaves a file alone that is not UTF-8 text', () => {
  const setup = setupOf('codex', reachIn(tempDir()), KEY);
  mkdirSync(dirname(fileOf(setup)), { recursive: true });
  const before = Buffer.from('model = "Z\xfcrich"\n', 'latin1');
  writeFileSync(fileOf(setup), before);
  expect(() => writeEntries([setup], fileOf(setup))).toThrow(`${fileOf(setup)} is not UTF-8 text`);
  expect(readFileSync(fileOf(setup))).toEqual(before);
  expect(readdirSync(dirname(fileOf(setup)))).toHaveLength(1);
});

it('keeps a copy of the bytes', () => {
  const setup = setupOf('codex', reachIn(tempDir()), KEY);
  mkdirSync(dirname(fileOf(setup)), { recursive: true });
  const before = Buffer.from('\uFEFFmodel = "Zürich"\r\n');
  writeFileSync(fileOf(setup), before);
  expect(readFileSync(writeEntries([setup], fileOf(setup)) ?? '')).toEqual(before);
});

it('keeps two copies of one moment', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const setup = setupOf('cursor', reachIn(tempDir()), KEY);
  writeEntries([setup], fileOf(setup));
  const copies = [1, 2].map(() => writeEntries([setup], fileOf(setup)));
  expect(new Set(copies).size).toBe(2);
});

it('writes through a link, which stays one', () => {
  const home = tempDir();
  const setup = setupOf('cursor', reachIn(home), KEY);
  mkdirSync(dirname(fileOf(setup)), { recursive: true });
  const real = join(home, 'dotfiles.json');
  writeFileSync(real, '{}');
  symlinkSync(real, fileOf(setup));
  writeEntries([setup], fileOf(setup));
  expect(lstatSync(fileOf(setup)).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, 'utf8')).toContain(KEY);
});
