import type { MenuItemConstructorOptions } from 'electron';

/** Actions that menu, tray and status page can ask of the app. */
export interface AppActions {
  /** Shows the window, at a place of the dashboard if one is named. */
  open(place?: string): void;
  reload(): void;
  openInBrowser(): void;
  showDataFolder(): void;
  showLogs(): void;
  stopAll(): void;
  installCommand(): void;
  quit(): void;
  /** Label of Quit, which says when the host goes on. */
  quitWords(): string;
  startsAtLogin(): boolean;
  setStartsAtLogin(on: boolean): void;
  /** A version that waits to be installed; null without one. */
  updateReady(): string | null;
  installUpdate(): void;
}

/** Developer tools are for a checkout; an installed app shows nothing that invites pasting code. */
export function menuTemplate(actions: AppActions, isPackaged: boolean): MenuItemConstructorOptions[] {
  const update = actions.updateReady();
  const file: MenuItemConstructorOptions[] = [
    { label: 'Open in the browser', click: () => actions.openInBrowser() },
    { label: 'Show the data folder', click: () => actions.showDataFolder() },
    { label: 'Show the log files', click: () => actions.showLogs() },
    { type: 'separator' },
    {
      id: 'start-at-login',
      label: 'Start at login',
      type: 'checkbox',
      checked: actions.startsAtLogin(),
      click: ({ checked }) => actions.setStartsAtLogin(checked),
    },
    { id: 'install-command', label: 'Install the command "platform"…', click: () => actions.installCommand() },
    ...(update === null
      ? []
      : [{ id: 'update', label: `Install version ${update}…`, click: () => actions.installUpdate() }]),
    { type: 'separator' },
    { role: 'close', label: 'Close window' },
    { id: 'quit', label: actions.quitWords(), accelerator: 'CmdOrCtrl+Q', click: () => actions.quit() },
  ];
  const view: MenuItemConstructorOptions[] = [
    { id: 'reload', label: 'Reload', accelerator: 'CmdOrCtrl+R', click: () => actions.reload() },
    { type: 'separator' },
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
    ...(isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
  ];
  const places: MenuItemConstructorOptions[] = [
    { label: 'Fleet', click: () => actions.open('/') },
    { label: 'Custom bots', click: () => actions.open('/custom-bots') },
    { label: 'Deploy', click: () => actions.open('/deploy') },
    { label: 'Assistants', click: () => actions.open('/connect') },
    { label: 'Settings', click: () => actions.open('/settings') },
  ];
  return [
    { label: 'File', submenu: file },
    { role: 'editMenu' },
    { label: 'View', submenu: view },
    { label: 'Go', submenu: places },
    { role: 'windowMenu' },
  ];
}
