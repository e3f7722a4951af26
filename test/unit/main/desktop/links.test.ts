import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeInArguments, placeOf } from '../../../../src/main/desktop/deep-link.ts';
import { isTrustedLink, SITES } from '../../../../src/main/desktop/external-link.ts';
import { installLinkOf } from '../../../../src/main/desktop/install-link.ts';
import { type AppActions, menuTemplate } from '../../../../src/main/desktop/menu.ts';
import { isPageOf } from '../../../../src/main/desktop/origin.ts';
import { isAllowed } from '../../../../src/main/desktop/permission-rule.ts';
import { denyPermissions } from '../../../../src/main/desktop/permissions.ts';
import { webPreferences } from '../../../../src/main/desktop/web-preferences.ts';
import { type AssistantName, assistantTitle, setupOf } from '../../../../src/shared/assistants.ts';

describe('placeOf', () => {
  it.each([
    ['platform://fleet', '/'],
    ['platform://bot/bot_01kxyzabcdefgh', '/bots/bot_01kxyzabcdefgh'],
    ['platform://bot/bot_01kxyzabcdefgh/', '/bots/bot_01kxyzabcdefgh'],
    ['platform://bot/bot_01kxyzabcdefgh/logs', '/bots/bot_01kxyzabcdefgh/logs'],
    ['platform://custom-bot/sma-crossover', '/custom-bots/sma-crossover'],
    ['platform://custom-bots', '/custom-bots'],
    ['platform://deploy', '/deploy'],
    ['platform://connect/', '/connect'],
    ['platform://settings', '/settings'],
    ['platform://settings/engine', '/settings/engine'],
  ])('%s leads to %s', (link, place) => {
    expect(placeOf(link)).toBe(place);
  });

  it.each([
    '',
    'platform:',
    'platform://',
    'platform://bot',
    'platform://bot/',
    'platform://bot/..',
    'platform://bot/../api',
    'platform://bot/a/b/c',
    'platform://bot/a?x=1',
    'platform://bot/a#enter=ticket',
    'platform://bot/a%2fb',
    'platform://bot/a\nb',
    'platform://user@bot/a',
    'platform://bot:80/a',
    'platform:/bot/a',
    'PLATFORM://bot/a',
    ' platform://bot/a',
    'https://bot/a',
    'platform://api/v1/host/stop',
    `platform://bot/${'a'.repeat(65)}`,
    `platform://settings/${'a'.repeat(300)}`,
  ])('%j leads nowhere', (link) => {
    expect(placeOf(link)).toBeNull();
  });

  it('is found among the arguments of a start, and only the first one counts', () => {
    expect(placeInArguments(['/opt/app', '--hidden'])).toBeNull();
    expect(placeInArguments(['/opt/app', 'platform://deploy'])).toBe('/deploy');
    expect(placeInArguments(['/opt/app', 'platform://nonsense', 'platform://deploy'])).toBeNull();
    expect(placeInArguments(['/opt/app', 'PLATFORM://deploy', 'platform://deploy'])).toBeNull();
  });
});

describe('isTrustedLink', () => {
  it('knows the sites that our own texts name, over https alone', () => {
    expect(isTrustedLink('https://nodejs.org/en/download?x=1#y')).toBe(true);
    for (const address of [
      'http://nodejs.org/',
      'https://nodejs.org:8443/',
      'https://me:secret@nodejs.org/',
      'https://nodejs.org.evil.example/',
      'https://evil.example/nodejs.org',
      'https://sub.nodejs.org/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'smb://nodejs.org/share',
      'nodejs.org',
      '',
    ]) {
      expect([address, isTrustedLink(address)]).toEqual([address, false]);
    }
  });
});

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
    setupOf(name, { ...reach, extended }, 'plat_secret').link ?? '';

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

describe('the sites that are opened', () => {
  it('are those that our own texts name, and no others', () => {
    const src = join(import.meta.dirname, '../../../../src');
    const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('external-link.ts'))
      .map((file) => readFileSync(join(src, file), 'utf8'))
      .join('\n');
    expect([...SITES].filter((site) => !texts.includes(`https://${site}`))).toEqual([]);
  });
});

describe('a page that asks', () => {
  it('is answered when it is a page of the dashboard, not a frame, not another, not one that has gone', () => {
    const origin = 'http://127.0.0.1:4747';
    const page = { url: `${origin}/bots`, parent: null };
    expect(isPageOf(page, origin)).toBe(true);
    for (const [asking, own] of [
      [{ ...page, parent: page }, origin],
      [{ ...page, url: 'https://evil.example/' }, origin],
      [{ ...page, url: 'data:text/html,x' }, origin],
      [{ ...page, url: 'data:text/html,x' }, null],
      [{ ...page, url: `blob:${origin}/0123` }, origin],
      [null, origin],
      [page, null],
    ] as const) {
      expect([asking, own, isPageOf(asking, own)]).toEqual([asking, own, false]);
    }
  });
});

describe('what a page may be given', () => {
  it('is asked of the rule by each of the handlers that Electron knows', () => {
    const origin = 'http://127.0.0.1:4747';
    const handlers = new Map<string, (...args: unknown[]) => unknown>();
    const kept = (name: string) => (handler: (...args: unknown[]) => unknown) => handlers.set(name, handler);
    const session = {
      setPermissionRequestHandler: kept('request'),
      setPermissionCheckHandler: kept('check'),
      setDevicePermissionHandler: kept('device'),
    };
    denyPermissions(session as unknown as Parameters<typeof denyPermissions>[0], () => origin);
    const requested = (permission: string): unknown => {
      let answer: unknown;
      const told = (given: unknown): void => {
        answer = given;
      };
      handlers.get('request')?.(null, permission, told, { requestingUrl: `${origin}/` });
      return answer;
    };
    expect([...handlers.keys()].sort()).toEqual(['check', 'device', 'request']);
    for (const permission of [
      'media',
      'geolocation',
      'notifications',
      'clipboard-read',
      'openExternal',
      'fileSystem',
    ]) {
      const given = [requested(permission), handlers.get('check')?.(null, permission, origin, {})];
      expect([permission, ...given]).toEqual([permission, false, false]);
    }
    const copy = 'clipboard-sanitized-write';
    expect([requested(copy), handlers.get('check')?.(null, copy, origin, {})]).toEqual([true, true]);
    expect(handlers.get('device')?.({ deviceType: 'usb', origin })).toBe(false);
  });
});

describe('the menu', () => {
  it('offers developer tools in a checkout alone', () => {
    const actions: AppActions = {
      open: () => undefined,
      reload: () => undefined,
      openInBrowser: () => undefined,
      showDataFolder: () => undefined,
      showLogs: () => undefined,
      stopAll: () => undefined,
      installCommand: () => undefined,
      quit: () => undefined,
      quitWords: () => 'Quit',
      startsAtLogin: () => false,
      setStartsAtLogin: () => undefined,
      updateReady: () => null,
      installUpdate: () => undefined,
    };
    expect(JSON.stringify(menuTemplate(actions, false))).toContain('toggleDevTools');
    // The role of the whole view menu brings them, too.
    expect(JSON.stringify(menuTemplate(actions, true))).not.toMatch(/toggleDevTools|viewMenu/);
  });
});

describe('the window', () => {
  it('shuts its pages in', () => {
    const always = {
      preload: '/preload.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    };
    expect(webPreferences('/preload.cjs', false)).toEqual({ ...always, devTools: true });
    expect(webPreferences('/preload.cjs', true)).toEqual({ ...always, devTools: false });
  });
});

describe('isAllowed', () => {
  it('lets the dashboard copy, and nothing else, and nobody else', () => {
    const origin = 'http://127.0.0.1:4747';
    expect(isAllowed('clipboard-sanitized-write', `${origin}/bots/x`, origin)).toBe(true);
    expect(isAllowed('clipboard-sanitized-write', 'https://evil.example/', origin)).toBe(false);
    expect(isAllowed('clipboard-sanitized-write', `${origin}/`, null)).toBe(false);
    for (const permission of [
      'clipboard-read',
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'hid',
      'usb',
    ]) {
      expect([permission, isAllowed(permission, `${origin}/`, origin)]).toEqual([permission, false]);
    }
  });
});
