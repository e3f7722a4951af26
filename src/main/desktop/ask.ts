import { type BrowserWindow, dialog, type MessageBoxOptions } from 'electron';

/**
 * Asks the person and returns the number of the chosen button. The dialog belongs to the window if there is one: a dialog
 * without a window may open behind it.
 */
export async function ask(window: BrowserWindow | null, question: MessageBoxOptions): Promise<number> {
  const asked = window === null ? dialog.showMessageBox(question) : dialog.showMessageBox(window, question);
  return (await asked).response;
}
