import { describe, expect, it } from 'vitest';
import { placeInArguments, placeOf } from '../../../../src/main/electron/deep-link.ts';
import { isTrustedLink } from '../../../../src/main/electron/external-link.ts';
import { isAllowed } from '../../../../src/main/electron/permission-rule.ts';

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
