import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Restored } from '../../../contract/backup.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { errorText } from '../../../node/system-error.ts';

/**
 * Name prefix of the folder in which a restore unpacks and checks a backup: inside the data folder, so that the parts
 * can be moved by renames alone.
 */
export const STAGE = 'restoring-';
/** Name of the plan, stored beside the unpacked files before the first move. */
export const PLAN = 'plan.json';

/**
 * The moves of a restore, stored before the first of them. An interrupted restore is completed from this plan, so that
 * the whole old state ends in one place. Paths are relative to the data folder, which may be moved.
 */
const RestorePlan = z.object({
  restored: Restored.omit({ aside: true, finished: true }),
  start_bots: z.boolean(),
  /** Destination of the present state. */
  aside: z.string(),
  /** Folder whose state, code and settings replace the present ones; null: the present ones stay. */
  parts: z.string().nullable(),
  /** Catalogue from which the code known to the control database is moved back; null without one. */
  code: z.string().nullable(),
  /** Bots without a log in `parts`: each keeps its present log. */
  logs_of: z.array(z.string()),
});
export type RestorePlan = z.infer<typeof RestorePlan>;

/** Folders in which restores have unpacked a backup and which still exist. */
export function stagesIn(folder: DataFolder): string[] {
  return readdirSync(folder.root)
    .filter((name) => name.startsWith(STAGE))
    .map((name) => join(folder.root, name));
}

/** Returns the plan of the restore that was unpacked into this folder; null if none was stored. Throws DATA_DAMAGED. */
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

/**
 * Returns the instruction to continue an interrupted restore of a data folder without a control database; null if there
 * is no such restore.
 */
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
