import type { WebPreferences } from 'electron';

/**
 * Isolation of the app's pages. It states every safe default of Electron, so that a new release with other defaults
 * opens nothing (https://www.electronjs.org/docs/latest/tutorial/security).
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
    // A person tricked into pasting code there would run it with all rights of the owner.
    devTools: !isPackaged,
  };
}
