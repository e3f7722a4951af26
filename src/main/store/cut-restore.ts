import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { DataFolder } from '../base/data-folder.ts';

/** Where a restore unpacks and checks a backup: in the data folder, so that its parts take their places by renames alone. */
export const STAGE = 'restoring-';
/** What it is to move, stored beside that before the first move (keep/restore-plan.ts). */
export const PLAN = 'plan.json';

const Asked = z.object({ restored: z.object({ file: z.string() }), start_bots: z.boolean() });

/** How somebody has asked for a restore. */
export interface AskedRestore {
  readonly file: string;
  readonly startBots: boolean;
}

/** The restore that a data folder without a control database was left in the middle of; null without one. */
export function askedRestore(folder: DataFolder): AskedRestore | null {
  for (const name of readdirSync(folder.root).filter((one) => one.startsWith(STAGE))) {
    const plan = join(folder.root, name, PLAN);
    if (!existsSync(plan) || !existsSync(join(folder.root, name, 'control.db'))) continue;
    const { restored, start_bots: startBots } = Asked.parse(JSON.parse(readFileSync(plan, 'utf8')));
    return { file: restored.file, startBots };
  }
  return null;
}
