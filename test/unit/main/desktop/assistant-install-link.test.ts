import { describe, expect, it } from 'vitest';
import { installLinkOf } from '../../../../src/main/desktop/assistant-install-link.ts';
import { type AssistantName, assistantTitle, setupOf } from '../../../../src/shared/assistants.ts';

const KEY_ID = '0123456789ab';

describe('installLinkOf', () => {
  const origin = 'http://127.0.0.1:4747';
  const reach = {
    url: origin,
    program: [],
    typed: [],
    arguments: [],
    machine: { os: 'linux', home: '/home/a', env: {} },
  };
  const shown = (name: AssistantName, extended: boolean): string =>
    setupOf(name, { ...reach, extended }, 'plat_secret', KEY_ID).link ?? '';

  it('knows the links that the dashboard shows, and none holds a key', () => {
    for (const name of ['cursor', 'vscode', 'lm-studio'] as const) {
      for (const extended of [false, true]) {
        const found = installLinkOf(shown(name, extended), origin);
        expect([name, found?.program]).toEqual([name, assistantTitle(name)]);
        expect(decodeURIComponent(found?.link ?? '')).not.toContain('plat_secret');
      }
    }
  });

  it('takes nothing for one of them that a bot could have written', () => {
    const cursor = shown('cursor', false);
    const vscode = shown('vscode', false);
    const config = btoa(JSON.stringify({ command: 'sh', args: ['-c', 'id'] }));
    for (const address of [
      `${cursor}&x=1`,
      `${cursor}#x`,
      cursor.replace('bot-platform', 'other'),
      cursor.replace('/install', '/remove'),
      cursor.replace('cursor:', 'cursor-nightly:'),
      cursor.replace(/config=.*/, `config=${config}`),
      vscode.replace('vscode:', 'vscode-insiders:'),
      vscode.replace('127.0.0.1', 'evil.example'),
      // One question for two ids, and an id that no key has.
      vscode.replace(KEY_ID, 'abcdefabcdef'),
      vscode.replaceAll(KEY_ID, 'x'),
      'cursor://anysphere.cursor-deeplink/mcp/install',
      'vscode:extension/evil.extension',
      'vscode://file/etc/passwd',
      '',
    ]) {
      expect([address, installLinkOf(address, origin)]).toEqual([address, null]);
    }
    expect(installLinkOf(cursor, 'http://127.0.0.1:4748')).toBeNull();
    expect(installLinkOf(cursor, null)).toBeNull();
  });
});
