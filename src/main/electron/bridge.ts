import { dialog, type IpcMainInvokeEvent, ipcMain, type OpenDialogOptions } from 'electron';
import { DESKTOP_CHANNELS } from '../../contract/desktop.ts';
import type { HostKeeper } from './host-keeper.ts';
import { originOf } from './origin.ts';
import type { MainWindow } from './window.ts';

export interface BridgeParts {
  readonly keeper: HostKeeper;
  readonly window: MainWindow;
  origin(): string | null;
}

/** Answers the preload script. Only the dashboard's own page is answered, and none of its frames. */
export function answerBridge({ keeper, window, origin }: BridgeParts): void {
  const answer = (channel: string, work: () => unknown): void => {
    ipcMain.handle(channel, ({ senderFrame }: IpcMainInvokeEvent) => {
      const asking = senderFrame === null || senderFrame.parent !== null ? null : originOf(senderFrame.url);
      if (asking === null || asking !== origin()) throw new Error(`${channel} is not for this page`);
      return work();
    });
  };
  answer(DESKTOP_CHANNELS.host, () => keeper.state);
  answer(DESKTOP_CHANNELS.startHost, () => keeper.open());
  answer(DESKTOP_CHANNELS.chooseFolder, async () => {
    const options: OpenDialogOptions = { title: 'Open a bot folder', properties: ['openDirectory', 'createDirectory'] };
    const parent = window.window;
    const { canceled, filePaths } = await (parent === null
      ? dialog.showOpenDialog(options)
      : dialog.showOpenDialog(parent, options));
    return canceled ? null : (filePaths[0] ?? null);
  });
}
