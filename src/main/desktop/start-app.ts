import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import { openDataFolder } from '../../node/data-folder.ts';
import { createLogger } from '../../node/logger.ts';
import { errorText } from '../../node/system-error.ts';
import { APP_ID, type Places, placesOf } from './app-paths-and-flags.ts';
import { placeInArguments, placeOf, SCHEME } from './deep-link.ts';
import { DesktopApp } from './desktop-app.ts';

function begin(places: Places, place: string | null): DesktopApp {
  const logger = createLogger({ file: join(places.ownDir, 'desktop.log'), mask: (line) => line });
  const desktop = new DesktopApp(places, (where, error) => {
    logger.error(where, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
  desktop.secure();
  desktop.start(place);
  process.stdout.write(`${JSON.stringify({ desktop: true, pid: process.pid })}\n`);
  return desktop;
}

/** Without this an app that cannot begin would keep running unseen. */
function cannotStart(error: unknown): void {
  dialog.showErrorBox('Bot Platform could not start', errorText(error));
  app.exit(1);
}

/** The desktop app, one for each data folder. A second start hands its arguments to the first one and ends. */
export function startApp(): void {
  try {
    start();
  } catch (error) {
    cannotStart(error);
  }
}

function start(): void {
  const { argv, env, platform, arch, execPath, resourcesPath } = process;
  const { isPackaged } = app;
  const places = placesOf({
    execPath,
    appPath: app.getAppPath(),
    resourcesPath,
    isPackaged,
    argv,
    env,
    platform,
    arch,
  });
  openDataFolder(places.dataDir);
  mkdirSync(places.ownDir, { recursive: true, mode: 0o700 });
  app.setPath('userData', places.ownDir);
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return;
  }
  app.enableSandbox();
  // Windows shows notifications only of a program that is named as the shortcut of its installer is.
  if (process.platform === 'win32') app.setAppUserModelId(APP_ID);
  // A checkout must not take the links of an app that is installed.
  if (isPackaged) app.setAsDefaultProtocolClient(SCHEME);
  let desktop: DesktopApp | null = null;
  let place = placeInArguments(argv);
  app.on('second-instance', (_event, words) => desktop?.open(placeInArguments(words)));
  // macOS tells of the link that starts the app before the app is ready.
  app.on('open-url', (event, link) => {
    event.preventDefault();
    if (desktop === null) place = placeOf(link);
    else desktop.open(placeOf(link));
  });
  app
    .whenReady()
    .then(() => {
      desktop = begin(places, place);
    })
    .catch(cannotStart);
}
