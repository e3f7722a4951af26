import { dialog, type IpcMainInvokeEvent, ipcMain, type OpenDialogOptions } from 'electron';
import { DESKTOP_CHANNELS } from '../../contract/desktop-bridge.ts';
import type { AppSettings } from './app-settings.ts';
import type { HostSupervisor } from './host-supervisor.ts';
import { isPageOf } from './origin.ts';
import type { MainWindow } from './window.ts';

export interface BridgeParts {
  readonly supervisor: HostSupervisor;
  readonly window: MainWindow;
  readonly settings: AppSettings;
  origin(): string | null;
}

/** Answers the preload script of the dashboard's own page, never of a frame in it. */
export function answerBridge({ supervisor, window, settings, origin }: BridgeParts): void {
  const answer = (channel: string, work: (asked: unknown) => unknown): void => {
    ipcMain.handle(channel, ({ senderFrame }: IpcMainInvokeEvent, asked?: unknown) => {
      if (!isPageOf(senderFrame, origin())) throw new Error(`${channel} is not for this page`);
      return work(asked);
    });
  };
  answer(DESKTOP_CHANNELS.host, () => supervisor.state);
  answer(DESKTOP_CHANNELS.startHost, () => supervisor.open());
  answer(DESKTOP_CHANNELS.settings, () => settings.read());
  answer(DESKTOP_CHANNELS.change, (asked) => settings.change(asked));
  let choosing: Promise<string | null> | null = null;
  // One dialog at a time, even if the page asks twice or was reloaded.
  answer(DESKTOP_CHANNELS.chooseFolder, () => {
    choosing ??= chooseFolder(window).finally(() => {
      choosing = null;
    });
    return choosing;
  });
}

async function chooseFolder(window: MainWindow): Promise<string | null> {
  const options: OpenDialogOptions = { title: 'Open a bot folder', properties: ['openDirectory', 'createDirectory'] };
  const parent = window.window;
  const { canceled, filePaths } = await (parent === null
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(parent, options));
  return canceled ? null : (filePaths[0] ?? null);
}
