import { readFileSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { z } from 'zod';
import { ENGINE_SETTINGS } from '../../../contract/engine-choices.ts';
import { invalid } from '../../../contract/errors.ts';
import { IMAGE_NAME, INTERPRETER_NAME } from '../../../contract/limits.ts';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { RUNTIME_IDS } from '../../../runtimes/registry.ts';
import { KeyedMutex } from '../../../shared/keyed-mutex.ts';
import { PROJECT_SETTINGS } from '../projects/openable.ts';

/** Images for runtimes that do not use the default one. */
const Images = z.record(z.string(), z.string().min(1)).superRefine((images, context) => {
  for (const id of Object.keys(images)) {
    if (RUNTIME_IDS.some((known) => known === id)) continue;
    const message = `"${id}" is no runtime; the runtimes are ${RUNTIME_IDS.join(', ')}`;
    context.addIssue({ code: 'custom', path: [id], message });
  }
});

/** Interpreters that packages may name, by name. */
const Interpreters = z.record(
  z.string().regex(INTERPRETER_NAME, 'a name has up to 64 letters, digits and "._+-", such as awk'),
  z.strictObject({
    path: z
      .string()
      .refine((path) => isAbsolute(path) && normalize(path) === path, 'is not a plain absolute path')
      .optional(),
    image: z.string().regex(IMAGE_NAME, 'an image is a name such as debian:trixie-slim').optional(),
  }),
);

/** The file `settings.json` of a data folder, which flags and environment override (docs/hosting.md#settings). */
const Settings = z.strictObject({
  port: z.number().int().min(0).max(65_535).optional(),
  listen: z.string().min(1).optional(),
  /** Limits of the stored log lines of each bot, in days and MB; whichever is reached first applies. */
  retention_days: z.number().int().min(1).max(3650).optional(),
  retention_mb: z.number().int().min(1).max(1_048_576).optional(),
  /** Daily copies of control.db that are kept. */
  backups_kept: z.number().int().min(1).max(365).optional(),
  /** Free space below which the host stores no more lines. */
  min_free_mb: z.number().int().min(1).max(1_048_576).optional(),
  /** Requests that one key may send per second. */
  rate_limit: z.number().int().min(1).max(1_000_000).optional(),
  /** Engine of bots that name none. */
  engine: z.enum(ENGINE_SETTINGS).optional(),
  /** Address of the container engine, for example unix:///run/user/1000/docker.sock. */
  docker_host: z.string().min(1).optional(),
  /** Permission for the editor to open folders of this machine. */
  projects: z.enum(PROJECT_SETTINGS).optional(),
  /** The machine does not go to sleep while the host runs. */
  keep_awake: z.boolean().optional(),
  /** Image by canonical runtime id. */
  images: Images.optional(),
  /** Interpreters that packages may name. */
  interpreters: Interpreters.optional(),
});
export type Settings = z.infer<typeof Settings>;

const HINT =
  'It may hold port, listen, retention_days, retention_mb, backups_kept, min_free_mb, rate_limit, engine, docker_host, projects, keep_awake, images and interpreters. Correct it, or remove it.';

/** Reads the settings of a data folder; empty without a file. Throws INVALID_REQUEST that names the invalid setting. */
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

type SettingsChange = Readonly<Record<string, number | NonNullable<Settings['interpreters']> | null>>;

const changes = new KeyedMutex();

/** Changes some settings of a data folder and keeps all others, one change after another; null removes a setting. */
export function writeSettings(dataDir: string, change: SettingsChange): Promise<void> {
  return changes.run(dataDir, async () => {
    const now: Record<string, unknown> = { ...readSettings(dataDir) };
    for (const [name, value] of Object.entries(change)) {
      if (value === null) delete now[name];
      else now[name] = value;
    }
    await writeFileAtomic(join(dataDir, 'settings.json'), `${JSON.stringify(now, null, 2)}\n`);
  });
}
