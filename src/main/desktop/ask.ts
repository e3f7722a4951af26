import { type BrowserWindow, dialog, type MessageBoxOptions } from 'electron';

/** Asks the person, before the window where there is one: a dialog of no window may open behind it. The button's number. */
export async function ask(window: BrowserWindow | null, question: MessageBoxOptions): Promise<number> {
  const asked = window === null ? dialog.showMessageBox(question) : dialog.showMessageBox(window, question);
  return (await asked).response;
}
