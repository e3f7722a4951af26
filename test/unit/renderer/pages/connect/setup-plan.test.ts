import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../../../src/contract/account.ts';
import { outcomeOf } from '../../../../../src/renderer/components/audit-outcome-words.ts';
import { isAssistants } from '../../../../../src/renderer/data/audit-trail.ts';
import { merged } from '../../../../../src/renderer/pages/connect/merge-activity.ts';
import {
  codeTyped,
  commandLine,
  type HostFacts,
  isLocal,
  type Plan,
  reachOf,
  shellWord,
} from '../../../../../src/renderer/pages/connect/setup-plan.ts';
import { setupOf } from '../../../../../src/shared/assistants.ts';

const HOST: HostFacts = {
  platform: 'linux x64',
  home_dir: '/home/ann',
  data_dir: '/home/ann/.local/share/bot-platform',
  command: ['/opt/node', '/opt/platform.js'],
};
const HERE = 'http://127.0.0.1:4747';
const AWAY = 'https://bots.example:4747';
const PLAN: Plan = { assistant: 'cursor', scope: 'deploy', bots: null, extended: false };

describe('reach', () => {
  it.each([HERE, 'http://localhost:4747', 'http://[::1]:4747'])('%s is this machine', (origin) => {
    expect(isLocal(origin)).toBe(true);
  });
  it.each([AWAY, 'http://127.evil.example', 'http://192.168.0.2:4747'])('%s is another', (origin) => {
    expect(isLocal(origin)).toBe(false);
  });

  it('starts the command line of this machine with absolute paths, on the folder of this host', () => {
    const { entry, file } = setupOf('claude-desktop', reachOf(HOST, HERE, false), 'plat_k');
    expect(file).toBe('/home/ann/.config/Claude/claude_desktop_config.json');
    expect(entry).toEqual({
      command: '/opt/node',
      args: ['/opt/platform.js', 'mcp', '--data', HOST.data_dir],
      env: { PLATFORM_API_KEY: 'plat_k' },
    });
  });

  it('names no path of the host to another machine', () => {
    const { entry, file } = setupOf('claude-desktop', reachOf(HOST, AWAY, true), 'plat_k');
    expect(file).toBe('~/.config/Claude/claude_desktop_config.json');
    expect(entry).toEqual({
      command: 'platform',
      args: ['mcp', '--url', AWAY, '--extended'],
      env: { PLATFORM_API_KEY: 'plat_k' },
    });
  });
});

describe('command line', () => {
  it('says only what is not usual', () => {
    expect(commandLine(PLAN, HOST, HERE)).toBe('npx platform connect cursor --write');
  });
  it('says all that was chosen', () => {
    const plan: Plan = { assistant: 'codex', scope: 'read', bots: ['bot_1', 'bot_2'], extended: true };
    expect(commandLine(plan, { ...HOST, data_dir: '/my data' }, HERE)).toBe(
      "npx platform connect codex --data '/my data' --write --scope read --bots bot_1,bot_2 --extended",
    );
    expect(commandLine(PLAN, HOST, AWAY)).toBe(`npx platform connect cursor --url ${AWAY} --write`);
  });
  it('writes no file where none is known', () => {
    expect(commandLine({ ...PLAN, assistant: 'generic' }, HOST, HERE)).toBe('npx platform connect generic');
  });
  it.each([
    ["it's", 'linux', "'it'\\''s'"],
    ['C:\\my data', 'win32', '"C:\\my data"'],
    ['plain/word', 'linux', 'plain/word'],
    ['$HOME', 'darwin', "'$HOME'"],
  ])('%s on %s is one word', (text, os, word) => {
    expect(shellWord(text, os)).toBe(word);
  });
});

describe('codes', () => {
  it.each([
    ['abcd', 'ABCD'],
    ['abcde', 'ABCD-E'],
    [' ab cd-12 34 ', 'ABCD-1234'],
    ['abcd-1234-more', 'ABCD-1234'],
    ['', ''],
  ])('%j is read as %j', (typed, read) => {
    expect(codeTyped(typed)).toBe(read);
  });
});

describe('activity', () => {
  const entry = (audit_id: number, operation = 'mcp bot_list', outcome = 'ok'): AuditEntry => ({
    audit_id,
    at: '2026-01-01T00:00:00.000Z',
    user_id: 'user_1',
    method: 'api_key',
    key_id: 'key',
    client: null,
    operation,
    target: null,
    outcome,
    duration_ms: 1,
    names: {},
    by: 'key Claude Code',
    deed: 'listed the bots',
  });
  const ids = (list: readonly AuditEntry[]): number[] => list.map(({ audit_id }) => audit_id);

  it('is what came over MCP, and nothing of the pages or the command line', () => {
    expect(isAssistants(entry(1))).toBe(true);
    expect(isAssistants(entry(1, 'bots.deploy'))).toBe(false);
  });

  it('goes on from what is known: newest first, each once', () => {
    const known = merged([], [entry(3), entry(1), entry(2, 'keys.create')]);
    expect(ids(known)).toEqual([3, 1]);
    expect(ids(merged(known, [entry(5), entry(4), entry(3)]))).toEqual([5, 4, 3, 1]);
    expect(merged(known, [entry(3), entry(9, 'bots.stop')])).toBe(known);
  });

  it('keeps to two hundred', () => {
    const many = Array.from({ length: 300 }, (_, index) => entry(index));
    expect(ids(merged([], many))).toHaveLength(200);
    expect(ids(merged([], many))[0]).toBe(299);
  });

  it.each([
    ['ok', 'Done', 'good'],
    ['asked', 'Asked you', 'plain'],
    ['declined', 'Declined', 'plain'],
    ['BOT_NOT_FOUND', 'BOT_NOT_FOUND', 'bad'],
  ])('says what came of it: %s', (outcome, label, tone) => {
    expect(outcomeOf(entry(1, 'mcp x', outcome))).toEqual({ label, tone });
  });
});
