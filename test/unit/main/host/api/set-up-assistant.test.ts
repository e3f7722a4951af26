import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../../../../src/contract/account.ts';
import { setUpAssistant } from '../../../../../src/main/host/api/set-up-assistant.ts';
import { assistantFile } from '../../../../../src/shared/assistant-places.ts';
import { ASSISTANTS, type AssistantName } from '../../../../../src/shared/assistants.ts';
import { tempDir } from '../../../../support/temp.ts';

const KNOWN = ASSISTANTS.filter((name) => name !== 'generic');

/** A machine with a home of its own, and the keys of one user. */
function machine({ reachable = false } = {}) {
  const home = tempDir('home-');
  const own = { os: 'linux', home, env: {} };
  const keys: (ApiKey & { readonly key: string })[] = [];
  const parts = {
    reachable,
    reach: () => ({
      url: 'http://127.0.0.1:4747',
      program: ['/usr/bin/node', '/opt/platform.js'],
      typed: ['platform'],
      arguments: ['--data', '/data'],
      machine: own,
    }),
    keys: {
      list: () => keys,
      create: (_: string, input: { name: string; scope?: ApiKey['scope']; bots?: readonly string[] }) => {
        const key_id = `k${keys.length + 1}`;
        const made = {
          ...{ key_id, name: input.name, scope: input.scope ?? 'full', bots: [...(input.bots ?? [])], extended: false },
          ...{ created_at: '2026-07-14T00:00:00.000Z', last_used_at: null, revoked_at: null, expires_at: null },
          key: `plat_${key_id}_0123456789abcdefghij`,
        };
        keys.push(made as never);
        return made as never;
      },
      revoke: (_: string, id: string) => {
        const at = keys.findIndex(({ key_id }) => key_id === id);
        const found = keys[at];
        if (found !== undefined) keys[at] = { ...found, revoked_at: '2026-07-14T00:00:01.000Z' };
      },
    },
  };
  const fileOf = (name: AssistantName): string => assistantFile(name, own) ?? '';
  const put = (name: AssistantName, text: string): string => {
    mkdirSync(dirname(fileOf(name)), { recursive: true });
    writeFileSync(fileOf(name), text);
    return fileOf(name);
  };
  const setUp = (name: string, rest: object = {}) => setUpAssistant(parts, 'usr_1', { name, ...rest });
  return { home, keys, fileOf, put, setUp };
}

describe.each(KNOWN)('setting up %s', (name) => {
  it('writes a key of its own into its file, and says what it added', () => {
    const { fileOf, setUp, keys } = machine();
    const done = setUp(name);
    const text = readFileSync(fileOf(name), 'utf8');
    expect(done).toMatchObject({ file: fileOf(name), backup: null, replaced_keys: [] });
    expect(done.changes).toEqual([{ server: 'bot-platform', change: 'added' }]);
    // The key is in the file, or told once: never in both.
    expect([text.includes(keys[0]?.key ?? ''), done.secret]).toEqual(
      name === 'vscode' ? [false, keys[0]?.key] : [true, null],
    );
    expect(JSON.stringify(done.key)).not.toContain('plat_');
    expect(done.key.scope).toBe('deploy');
    expect(statSync(fileOf(name)).mode & 0o777).toBe(0o600);
  });

  it('keeps what stands in the file, with a copy, and names the key that it replaces', () => {
    const { fileOf, put, setUp } = machine();
    const before = name === 'codex' ? 'model = "m"\n' : '{"theme": "dark"}\n';
    put(name, before);
    expect(readFileSync(setUp(name).backup ?? '', 'utf8')).toBe(before);
    const again = setUp(name, { extended: true });
    expect(again.changes).toEqual([
      { server: 'bot-platform', change: 'replaced' },
      { server: 'bot-platform-extended', change: 'added' },
    ]);
    expect(again.replaced_keys.map(({ key_id }) => key_id)).toEqual(['k1']);
    expect(readFileSync(fileOf(name), 'utf8')).toContain(name === 'codex' ? 'model = "m"' : '"theme": "dark"');
  });
});

it('has VS Code ask for each new key, because it keeps the answer to a question', () => {
  const { put, setUp } = machine();
  const others = { id: 'other', type: 'promptString' };
  // As earlier releases wrote it, and as something else of the user asks it, too.
  const old = { id: 'bot-platform-key', type: 'promptString' };
  const headers = (id: string) => ({ headers: { 'x-api-key': `\${input:${id}}` } });
  const servers = { 'bot-platform': headers('bot-platform-key'), mine: headers('bot-platform-key') };
  const file = put('vscode', JSON.stringify({ inputs: [others, old], servers }));
  const asked = () => {
    const found = JSON.parse(readFileSync(file, 'utf8'));
    const ids = found.inputs.map(({ id }: { id: string }) => id);
    return [found.servers['bot-platform'].headers['x-api-key'], found.servers.mine.headers['x-api-key'], ids];
  };
  expect(setUp('vscode').replaced_keys).toEqual([]);
  const mine = `\${input:bot-platform-key}`;
  expect(asked()).toEqual([
    `\${input:bot-platform-key-k1}`,
    mine,
    ['other', 'bot-platform-key', 'bot-platform-key-k1'],
  ]);
  expect(setUp('vscode').replaced_keys).toMatchObject([{ key_id: 'k1' }]);
  expect(asked()).toEqual([
    `\${input:bot-platform-key-k2}`,
    mine,
    ['other', 'bot-platform-key', 'bot-platform-key-k2'],
  ]);
});

describe('nothing is written, and no key is left,', () => {
  it('for an unknown assistant, or one whose file is not known', () => {
    const { keys, setUp } = machine();
    for (const name of ['generic', 'nobody', '../../etc', '__proto__', 'constructor', '']) {
      expect(() => setUp(name), name).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    }
    expect(keys).toEqual([]);
  });

  it('on a host that other machines reach', () => {
    const { home, keys, setUp } = machine({ reachable: true });
    expect(() => setUp('cursor')).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
    expect([keys, readdirSync(home)]).toEqual([[], []]);
  });

  it('into a file that cannot be read as what it should be', () => {
    const { keys, put, setUp } = machine();
    const file = put('cursor', '{"mcpServers": ');
    expect(() => setUp('cursor')).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    expect(readFileSync(file, 'utf8')).toBe('{"mcpServers": ');
    truncateSync(put('lm-studio', '{}'), 17 * 1024 * 1024);
    expect(() => setUp('lm-studio')).toThrow(/larger than 16 MB/);
    expect([keys, readdirSync(dirname(file))]).toEqual([[], ['mcp.json']]);
  });

  it('where the file is a folder, or its folder a file or a link to nothing: the error names it', () => {
    const one = machine();
    mkdirSync(one.fileOf('cursor'), { recursive: true });
    expect(() => one.setUp('cursor')).toThrow(/mcp\.json is no file/);
    const two = machine();
    writeFileSync(join(two.home, '.cursor'), '');
    expect(() => two.setUp('cursor')).toThrow(/mcp\.json cannot be written \(ENOTDIR\)/);
    expect([one.keys, two.keys]).toEqual([[], []]);
    const three = machine();
    symlinkSync(join(three.home, 'gone'), join(three.home, '.cursor'));
    expect(() => three.setUp('cursor')).toThrow(/mcp\.json cannot be written/);
    expect(three.keys.map(({ revoked_at }) => revoked_at)).toEqual([expect.any(String)]);
  });
});
