import { describe, expect, it } from 'vitest';
import { configDir, defaultKeyFolder } from '../../../src/node/config-dir.ts';

describe('configDir', () => {
  it.each([
    [{ PLATFORM_CONFIG_DIR: '/set' }, 'linux', '/set'],
    [{}, 'linux', '/home/me/.config/bot-platform'],
    [{ XDG_CONFIG_HOME: '/xdg' }, 'linux', '/xdg/bot-platform'],
    [{ XDG_CONFIG_HOME: 'relative' }, 'linux', '/home/me/.config/bot-platform'],
    [{}, 'darwin', '/home/me/Library/Preferences/bot-platform'],
  ] as const)('%j on %s is %s', (env, platform, expected) => {
    expect(configDir(env, platform, '/home/me')).toBe(expected);
  });
});

describe('defaultKeyFolder', () => {
  it.each([
    [{ PLATFORM_KEY_FOLDER: '/keys' }, 'linux', '/keys'],
    [{ PLATFORM_CONFIG_DIR: '/set' }, 'linux', '/set/keys'],
    [{}, 'linux', '/home/me/.config/bot-platform/keys'],
    [{}, 'darwin', '/home/me/Library/Preferences/bot-platform/keys'],
  ] as const)('%j on %s is %s', (env, platform, expected) => {
    expect(defaultKeyFolder(env, platform, '/home/me')).toBe(expected);
  });
});
