// The module `electron` of the main process, as far as the app and its tests use it.
import { app } from './app.mjs';
import { ipcMain } from './contents.mjs';
import { session } from './session.mjs';
import { clipboard, dialog, Menu, Notification, nativeImage, powerMonitor, screen, shell, Tray } from './system.mjs';
import { BrowserWindow } from './window.mjs';

export {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  powerMonitor,
  screen,
  session,
  shell,
  Tray,
};
