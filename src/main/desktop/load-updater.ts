import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { Updater } from './updates.ts';

/** The updater, where the app is installed and its packaging has said where updates are. */
export async function loadUpdater(): Promise<Updater | null> {
  if (!app.isPackaged || !existsSync(join(process.resourcesPath, 'app-update.yml'))) return null;
  const { default: updater } = await import('electron-updater');
  // Its events report failures; its own log would go to a terminal that may be gone.
  updater.autoUpdater.logger = null;
  return updater.autoUpdater;
}
