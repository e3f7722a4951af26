import { describe, expect, it } from 'vitest';
import { type AppActions, menuTemplate } from '../../../../src/main/desktop/menu.ts';

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
