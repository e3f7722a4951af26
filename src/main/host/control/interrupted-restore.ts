import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Restored } from '../../../contract/backup.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { errorText } from '../../../node/system-error.ts';

/** Where a restore unpacks and checks a backup: in the data folder, so that its parts take their places by renames alone. */
export const STAGE = 'restoring-';
/** The plan, stored beside the files before the first move. */
export const PLAN = 'plan.json';

/**
 * The moves of a restore, stored beside the files before the first one. An interrupted restore is completed from it, so
 * that everything of the old state ends in one place. Paths are relative to the data folder, which may be moved.
 */
const RestorePlan = z.object({
  restored: Restored.omit({ aside: true, finished: true }),
  start_bots: z.boolean(),
  /** Destination of what is there now. */
  aside: z.string(),
  /** Folder whose state, code and settings take their places; null: those that are there stay. */
  parts: z.string().nullable(),
  /** A catalogue out of which the code comes back that the control database knows; null without one. */
  code: z.string().nullable(),
  /** Bots of which `parts` holds no log: the one that is there stays with each. */
  logs_of: z.array(z.string()),
});
export type RestorePlan = z.infer<typeof RestorePlan>;

/** Folders in which restores have unpacked a backup, and that are still there. */
export function stagesIn(folder: DataFolder): string[] {
  return readdirSync(folder.root)
    .filter((name) => name.startsWith(STAGE))
    .map((name) => join(folder.root, name));
}

/** The plan of the restore that has unpacked in this folder; null if none was stored. Throws DATA_DAMAGED. */
export function planIn(folder: DataFolder, dir: string): RestorePlan | null {
  const file = join(dir, PLAN);
  if (!existsSync(file)) return null;
  try {
    return RestorePlan.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? 'parts of it are missing' : errorText(error);
    throw new PlatformError('DATA_DAMAGED', `A restore was cut short, and its plan ${file} is damaged (${why})`, {
      hint: `Nothing is lost: what was there before lies in the newest folder of ${folder.aside}, or where it was. Move ${dir} out of the data folder, then restore the backup again: \`platform restore FILE --data "${folder.root}"\`.`,
      cause: error,
    });
  }
}

/** How to go on with the restore that a data folder without a control database was left in the middle of; null without one. */
export function interruptedRestoreHint(folder: DataFolder): string | null {
  if (existsSync(folder.controlDatabase)) return null;
  const dir = stagesIn(folder).find((one) => existsSync(join(one, PLAN)) && existsSync(join(one, 'control.db')));
  if (dir === undefined) return null;
  try {
    const plan = planIn(folder, dir);
    if (plan === null) return null;
    const command = `platform restore "${plan.restored.file}" --data "${folder.root}"${plan.start_bots ? ' --start-bots' : ''}`;
    return `A restore was cut short. Go on with it: \`${command}\`. What was there before is kept beside it.`;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return `${error.message}. ${error.hint}`;
  }
}
