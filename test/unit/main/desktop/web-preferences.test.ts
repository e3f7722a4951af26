import { describe, expect, it } from 'vitest';
import { webPreferences } from '../../../../src/main/desktop/web-preferences.ts';

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
