import type { WebPreferences } from 'electron';

/**
 * How pages of the app are shut in. Everything that Electron would allow by a change of its defaults is said here, so that
 * a new release of it cannot open anything (https://www.electronjs.org/docs/latest/tutorial/security).
 */
export function webPreferences(preload: string, isPackaged: boolean): WebPreferences {
  return {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    // Its dictionaries would be fetched from a server of Google's.
    spellcheck: false,
    // Whoever is talked into pasting code there would run it with all rights of the owner.
    devTools: !isPackaged,
  };
}
