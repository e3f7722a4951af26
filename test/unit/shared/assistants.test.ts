import { describe, expect, it } from 'vitest';
import { assistantFile, assistantIsHere } from '../../../src/shared/assistant-places.ts';
import { ASSISTANTS, isAssistant, KEY_PLACEHOLDER, type Reach, setupOf } from '../../../src/shared/assistants.ts';
import { readToml } from '../../support/toml.ts';

const KEY = 'plat_SECRETSECRET';
const reach: Reach = {
  url: 'http://127.0.0.1:4747',
  extended: false,
  program: ['/usr/bin/node', '/opt/platform.js'],
  typed: ['platform'],
  arguments: ['--data', '/my data/"x"'],
  machine: { os: 'linux', home: '/home/me', env: {} },
};
const SYSTEMS = ['linux', 'darwin', 'win32'];
const cases = ASSISTANTS.flatMap((name) => [false, true].map((extended) => ({ name, extended })));

/** The payload that a link carries, whichever form it has. */
function payload(link: string): unknown {
  const config = /[?&]config=([^&]+)/.exec(link)?.[1];
  if (config === undefined) return JSON.parse(decodeURIComponent(link.slice(link.indexOf('?') + 1)));
  return JSON.parse(Buffer.from(decodeURIComponent(config), 'base64').toString('utf8'));
}

const parsed = (format: 'json' | 'toml', text: string): Record<string, unknown> =>
  format === 'json' ? JSON.parse(text) : readToml(text);

describe.each(cases)('$name, extended $extended', ({ name, extended }) => {
  const setup = setupOf(name, { ...reach, extended }, KEY);

  it('has the key in its file alone, never in a link, an argument, a path or a note', () => {
    const { snippet, entry, ...rest } = setup;
    expect(JSON.stringify(rest)).not.toContain(KEY);
    expect(JSON.stringify(entry.args ?? [])).not.toContain(KEY);
    expect(snippet.split(KEY).length - 1).toBe(setup.keyIn === 'entry' ? 1 : 0);
    if (setup.link !== null) expect(Buffer.from(JSON.stringify(payload(setup.link))).includes(KEY)).toBe(false);
  });

  it('has a snippet that reads as the entry under its path', () => {
    const [list = '', server = ''] = setup.path;
    const file = parsed(setup.format, setup.snippet);
    expect(file[list]).toEqual({ [server]: setup.entry });
    expect(server).toBe(extended ? 'bot-platform-extended' : 'bot-platform');
    for (const [key, item] of Object.entries(setup.lists)) expect(file[key]).toEqual([item]);
  });

  it('reaches the endpoint', () => {
    const { entry, transport } = setup;
    const address = `http://127.0.0.1:4747/mcp${extended ? '/extended' : ''}`;
    if (transport === 'http') expect([entry.url, entry.httpUrl, entry.serverUrl]).toContain(address);
    else {
      expect(entry.command).toBe('/usr/bin/node');
      const rest = ['mcp', '--data', '/my data/"x"', ...(extended ? ['--extended'] : [])];
      expect(entry.args).toEqual(['/opt/platform.js', ...rest]);
    }
  });
});

it.each(ASSISTANTS)('%s without a key shows a placeholder, or works by the log-in', (name) => {
  const setup = setupOf(name, reach, null);
  const asks = setup.keyIn === 'question' || setup.transport === 'stdio';
  expect(setup.snippet.includes(KEY_PLACEHOLDER)).toBe(!asks);
  expect(setup.entry).not.toHaveProperty('env');
});

describe('links', () => {
  it.each(['cursor', 'lm-studio'] as const)('of %s carry the entry with the placeholder', (name) => {
    const { link } = setupOf(name, reach, KEY);
    expect(payload(link ?? '')).toEqual({
      url: 'http://127.0.0.1:4747/mcp',
      headers: { 'x-api-key': KEY_PLACEHOLDER },
    });
  });

  it.each([null, '0123456789ab'])('of VS Code ask for the key %s', (keyId) => {
    const { link, lists } = setupOf('vscode', reach, KEY, keyId);
    expect(payload(link ?? '')).toMatchObject({
      name: 'bot-platform',
      type: 'http',
      headers: { 'x-api-key': `\${input:bot-platform-key${keyId === null ? '' : `-${keyId}`}}` },
      inputs: [lists.inputs],
    });
  });
});

describe('files', () => {
  it.each([
    ['claude-code', 'linux', '/home/me/.claude.json'],
    ['claude-desktop', 'darwin', '/home/me/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'win32', '/home/me\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
    ['cursor', 'linux', '/home/me/.cursor/mcp.json'],
    ['vscode', 'linux', '/home/me/.config/Code/User/mcp.json'],
    ['vscode', 'darwin', '/home/me/Library/Application Support/Code/User/mcp.json'],
    ['codex', 'linux', '/home/me/.codex/config.toml'],
    ['lm-studio', 'linux', '/home/me/.lmstudio/mcp.json'],
    ['gemini-cli', 'linux', '/home/me/.gemini/settings.json'],
    ['antigravity', 'linux', '/home/me/.gemini/config/mcp_config.json'],
  ] as const)('of %s on %s', (name, os, file) => {
    expect(assistantFile(name, { os, home: '/home/me', env: {} })).toBe(file);
  });

  it('follow what the environment moves', () => {
    const env = { XDG_CONFIG_HOME: '/cfg', CODEX_HOME: '/codex', CLAUDE_CONFIG_DIR: '/claude' };
    const machine = { os: 'linux', home: '/home/me', env };
    expect(assistantFile('vscode', machine)).toBe('/cfg/Code/User/mcp.json');
    expect(assistantFile('codex', machine)).toBe('/codex/config.toml');
    expect(assistantFile('claude-code', machine)).toBe('/claude/.claude.json');
  });

  it('of Antigravity is the one of earlier releases where only that is there', () => {
    const earlier = '/home/me/.gemini/antigravity/mcp_config.json';
    const now = '/home/me/.gemini/config/mcp_config.json';
    const fileWith = (...there: string[]) =>
      assistantFile('antigravity', { os: 'linux', home: '/home/me', env: {}, exists: (path) => there.includes(path) });
    expect([fileWith(), fileWith(earlier), fileWith(earlier, now)]).toEqual([now, earlier, now]);
  });

  it('and signs are known for all but the generic one, on every system', () => {
    for (const os of SYSTEMS) {
      const machine = { os, home: '/home/me', env: {} };
      const unknown = ASSISTANTS.filter((name) => assistantFile(name, machine) === null);
      expect(unknown).toEqual(['generic']);
      expect(ASSISTANTS.filter((name) => !assistantIsHere(name, machine, () => true))).toEqual(['generic']);
    }
  });
});

it('knows names of assistants and nothing else', () => {
  expect(ASSISTANTS.every(isAssistant)).toBe(true);
  expect(['constructor', '', 'claude'].some(isAssistant)).toBe(false);
});

describe('finding an assistant', () => {
  const files =
    (...paths: string[]) =>
    (path: string) =>
      paths.includes(path);
  const linux = { os: 'linux', home: '/home/ada', env: { PATH: '/usr/bin:/opt/bin' } };
  const windows = { os: 'win32', home: 'C:\\Users\\ada', env: { Path: 'C:\\bin;D:\\tools' } };

  it('goes by its folder or by a program on the path', () => {
    expect(assistantIsHere('cursor', linux, files('/home/ada/.cursor'))).toBe(true);
    expect(assistantIsHere('codex', linux, files('/opt/bin/codex'))).toBe(true);
    expect(assistantIsHere('codex', windows, files('D:\\tools\\codex.cmd'))).toBe(true);
    expect(assistantIsHere('cursor', linux, files('/opt/bin/codex'))).toBe(false);
    expect(assistantIsHere('generic', linux, () => true)).toBe(false);
  });
});
