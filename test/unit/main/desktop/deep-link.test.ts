import { describe, expect, it } from 'vitest';
import { placeInArguments, placeOf } from '../../../../src/main/desktop/deep-link.ts';

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
