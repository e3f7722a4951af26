import { PlatformError } from '../../../contract/errors.ts';
import { WORK_FOLDER } from '../../../packaging/project-files.ts';
import type { ConfinedFolder } from './confined.ts';

const TRASH = `${WORK_FOLDER}/trash`;
const KEPT_MS = 30 * 24 * 3_600_000;
/** `2026-01-31T10-20-30-456Z-1`: when it was removed, and which one of that moment. */
const PLACE = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)-\d+$/;

/** Moves a file or folder out of the project's way and gives the path under which it is kept. */
export async function discard(folder: ConfinedFolder, path: string, now: number): Promise<string> {
  if (!(await folder.exists(path))) throw new PlatformError('FILE_NOT_FOUND', `The project has no ${path}`);
  const name = path.split('/').at(-1) ?? '';
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  for (let count = 1; ; count++) {
    const place = `${TRASH}/${stamp}-${count}`;
    try {
      await folder.makeFolder(place);
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'NAME_TAKEN') continue;
      throw error;
    }
    await folder.move(path, `${place}/${name}`);
    return `${place}/${name}`;
  }
}

/** Deletes entries older than 30 days. Names without our time stamp stay. */
export function emptyTrash(folder: ConfinedFolder, now: number): Promise<void> {
  return folder.clear(TRASH, (name) => {
    const [, day, minute, second, rest] = PLACE.exec(name) ?? [];
    const at = Date.parse(`${day}:${minute}:${second}.${rest}`);
    return now - at > KEPT_MS;
  });
}
