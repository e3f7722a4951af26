import { contextBridge, ipcRenderer } from 'electron';
import { DESKTOP_BRIDGE, DESKTOP_CHANNELS, type DesktopBridge } from '../contract/desktop-bridge.ts';

/** Passes the values of a channel of the main process to a listener of the page, without Electron's event object. */
function listen<T>(channel: string, listener: (told: T) => void): () => void {
  const told = (_event: unknown, value: T): void => listener(value);
  ipcRenderer.on(channel, told);
  return () => {
    ipcRenderer.off(channel, told);
  };
}

/** All that a page of the window can ask of the desktop app; the main process checks who asks. */
const bridge: DesktopBridge = {
  chooseFolder: () => ipcRenderer.invoke(DESKTOP_CHANNELS.chooseFolder),
  host: () => ipcRenderer.invoke(DESKTOP_CHANNELS.host),
  onHost: (listener) => listen(DESKTOP_CHANNELS.hostChanged, listener),
  startHost: () => ipcRenderer.invoke(DESKTOP_CHANNELS.startHost),
  settings: () => ipcRenderer.invoke(DESKTOP_CHANNELS.settings),
  change: (change) => ipcRenderer.invoke(DESKTOP_CHANNELS.change, change),
  onSettings: (listener) => listen(DESKTOP_CHANNELS.settingsChanged, listener),
};

contextBridge.exposeInMainWorld(DESKTOP_BRIDGE, bridge);
