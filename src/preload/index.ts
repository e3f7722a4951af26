import { contextBridge, ipcRenderer } from 'electron';
import { DESKTOP_BRIDGE, DESKTOP_CHANNELS, type DesktopBridge, type DesktopHost } from '../contract/desktop.ts';

/** All that a page of the window can ask of the desktop app; the main process checks who asks. */
const bridge: DesktopBridge = {
  chooseFolder: () => ipcRenderer.invoke(DESKTOP_CHANNELS.chooseFolder),
  host: () => ipcRenderer.invoke(DESKTOP_CHANNELS.host),
  onHost: (listener) => {
    const told = (_event: unknown, host: DesktopHost): void => listener(host);
    ipcRenderer.on(DESKTOP_CHANNELS.hostChanged, told);
    return () => {
      ipcRenderer.off(DESKTOP_CHANNELS.hostChanged, told);
    };
  },
  startHost: () => ipcRenderer.invoke(DESKTOP_CHANNELS.startHost),
};

contextBridge.exposeInMainWorld(DESKTOP_BRIDGE, bridge);
