import { dialog, type IpcMainInvokeEvent, ipcMain, type OpenDialogOptions } from 'electron';
import { DESKTOP_CHANNELS } from '../../contract/desktop.ts';
import type { AppSettings } from './app-settings.ts';
import type { HostKeeper } from './host-keeper.ts';
import { isPageOf } from './origin.ts';
import type { MainWindow } from './window.ts';

export interface BridgeParts {
  readonly keeper: HostKeeper;
  readonly window: MainWindow;
  readonly settings: AppSettings;
  origin(): string | null;
}

/** Answers the preload script. Only the dashboard's own page is answered, and none of its frames. */
export function answerBridge({ keeper, window, settings, origin }: BridgeParts): void {
  const answer = (channel: string, work: (asked: unknown) => unknown): void => {
    ipcMain.handle(channel, ({ senderFrame }: IpcMainInvokeEvent, asked?: unknown) => {
      if (!isPageOf(senderFrame, origin())) throw new Error(`${channel} is not for this page`);
      return work(asked);
    });
  };
  answer(DESKTOP_CHANNELS.host, () => keeper.state);
  answer(DESKTOP_CHANNELS.startHost, () => keeper.open());
  answer(DESKTOP_CHANNELS.settings, () => settings.read());
  answer(DESKTOP_CHANNELS.change, (asked) => settings.change(asked));
  let choosing: Promise<string | null> | null = null;
  // One dialog at a time, also where a page asks twice or was loaded anew meanwhile.
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
