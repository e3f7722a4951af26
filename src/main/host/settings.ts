import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { RUNTIMES } from '../../contract/custom-bot.ts';
import { invalid } from '../../contract/errors.ts';
import { writeFileAtomic } from '../base/atomic-write.ts';
import { systemErrorCode } from '../base/system-error.ts';
import { ENGINE_SETTINGS } from '../engine/engines.ts';
import { PROJECT_SETTINGS } from '../projects/openable.ts';

const RUNTIME_IDS = Object.keys(RUNTIMES);

/** Images for the runtimes that are not to use the usual one. */
const Images = z.record(z.string(), z.string().min(1)).superRefine((images, context) => {
  for (const id of Object.keys(images)) {
    if (RUNTIME_IDS.includes(id)) continue;
    const message = `"${id}" is no runtime; the runtimes are ${RUNTIME_IDS.join(', ')}`;
    context.addIssue({ code: 'custom', path: [id], message });
  }
});

/** The file `settings.json` of a data folder: what flags and environment leave open (wire.md section 1). */
const Settings = z.strictObject({
  port: z.number().int().min(0).max(65_535).optional(),
  listen: z.string().min(1).optional(),
  /** How long log lines are kept, and how much of them per bot; whichever comes first. */
  retention_days: z.number().int().min(1).max(3650).optional(),
  retention_mb: z.number().int().min(1).max(1_048_576).optional(),
  /** Daily copies of control.db that are kept. */
  backups_kept: z.number().int().min(1).max(365).optional(),
  /** Free space below which lines are stored no more. */
  min_free_mb: z.number().int().min(1).max(1_048_576).optional(),
  /** Requests that one key may send per second. */
  rate_limit: z.number().int().min(1).max(1_000_000).optional(),
  /** What runs a bot that asks for no engine. */
  engine: z.enum(ENGINE_SETTINGS).optional(),
  /** Where Docker is reached, for example unix:///run/user/1000/docker.sock. */
  docker_host: z.string().min(1).optional(),
  /** Whether the editor may open folders of this machine. */
  projects: z.enum(PROJECT_SETTINGS).optional(),
  /** By canonical runtime id. */
  images: Images.optional(),
});
export type Settings = z.infer<typeof Settings>;

const HINT =
  'It may hold port, listen, retention_days, retention_mb, backups_kept, min_free_mb, rate_limit, engine, docker_host, projects and images. Correct it, or remove it.';

/** Reads the settings of a data folder; none is an empty object. Throws INVALID_REQUEST with what is wrong. */
export function readSettings(dataDir: string): Settings {
  const file = join(dataDir, 'settings.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return {};
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw invalid('INVALID_REQUEST', [{ path: file, message, hint: HINT }]);
  }
  const result = Settings.safeParse(value);
  if (result.success) return result.data;
  throw invalid(
    'INVALID_REQUEST',
    result.error.issues.map((issue) => ({ path: [file, ...issue.path].join(' '), message: issue.message, hint: HINT })),
  );
}

/** Changes some settings of a data folder; null removes one. What else stands in the file stays. */
export async function writeSettings(dataDir: string, change: Readonly<Record<string, number | null>>): Promise<void> {
  const now: Record<string, unknown> = { ...readSettings(dataDir) };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete now[name];
    else now[name] = value;
  }
  await writeFileAtomic(join(dataDir, 'settings.json'), `${JSON.stringify(now, null, 2)}\n`);
}
