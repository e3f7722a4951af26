import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { asCli, asCurl, asMcp } from '../../../../../src/renderer/pages/bot/query-snippets.ts';

const question = { path: '/signals', params: { note: `it's "$HOME"`, limit: '5' }, timeoutSec: 3 };
/** The words that a shell sees in a command. */
const words = (command: string): string[] =>
  execFileSync('sh', ['-c', `for word in ${command}; do printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
    env: { KEY: 'k', HOME: '/h' },
  })
    .split('\0')
    .slice(0, -1);

describe('the same question elsewhere', () => {
  it('survives a shell', () => {
    expect(words(asCli('bot_1', question))).toEqual([
      ...['npx', 'platform', 'bot', 'query', 'bot_1', '/signals', '--params'],
      JSON.stringify(question.params),
      ...['--timeout', '3'],
    ]);
    const curl = words(asCurl('http://127.0.0.1:4747', 'bot_1', question));
    expect(curl).toContain('http://127.0.0.1:4747/bot/bot_1/query');
    expect(curl).toContain('Authorization: Bearer k');
    expect(JSON.parse(curl.at(-1) ?? '')).toEqual({ path: '/signals', params: question.params, timeout_sec: 3 });
  });
  it('says no more than was asked', () => {
    const plain = { path: '/status', params: {}, timeoutSec: null };
    expect(asCli('bot_1', plain)).toBe('npx platform bot query bot_1 /status');
    expect(JSON.parse(asMcp('bot_1', plain)).params).toEqual({
      name: 'bot_query',
      arguments: { bot_id: 'bot_1', query_path: '/status' },
    });
  });
});
