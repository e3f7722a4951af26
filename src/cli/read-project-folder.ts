import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { invalid } from '../contract/errors.ts';
import { BOT_CONFIG_FILE } from '../packaging/bot-config.ts';
import { folderSource, type ProjectReading, readProjectFiles } from '../project/read-project.ts';
import { quoted } from './copyable-command.ts';

/** Refuses anything but a folder, quoting the path as given. */
function checkFolder(dir: string, given: string): void {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  const path = given === '' ? dir : given;
  const [message, hint] =
    stats === undefined
      ? ['there is no such folder', `Give the folder of your bot, or start one with \`platform init ${quoted(path)}\`.`]
      : ['is a file, not the folder of a project', 'Give the folder of your bot.'];
  throw invalid('INVALID_REQUEST', [{ path, message, hint }]);
}

/**
 * Reads and checks the project in a folder as the user named it ('' for `cwd`). Throws INVALID_REQUEST for a folder
 * without a project.
 */
export async function readProject(cwd: string, given = ''): Promise<ProjectReading> {
  const dir = resolve(cwd, given);
  checkFolder(dir, given);
  const make = `make${given === '' || given === '.' ? '' : ` -C ${quoted(given)}`}`;
  const reading = await readProjectFiles(folderSource(dir, make));
  if (reading !== null) return reading;
  throw invalid('INVALID_REQUEST', [
    {
      path: dir,
      message: `is not a bot project: it has no ${BOT_CONFIG_FILE}`,
      hint: 'Go to the folder of your bot, or start one with `platform init my-bot`.',
    },
  ]);
}
