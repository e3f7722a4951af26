import { z } from 'zod';

/** What an engine for containers says of itself, or why nobody answers. */
export const DockerInspection = z.object({
  /** As people write it, such as `unix:///var/run/docker.sock`. */
  address: z.string(),
  /** Code of the system or text, when it cannot be reached; else null. */
  problem: z.string().nullable(),
  version: z.string().nullable(),
  api: z.string().nullable(),
  cgroups: z.string().nullable(),
  driver: z.string().nullable(),
  /** Kinds of limits that it cannot set: memory, cpu, processes. */
  no_limits: z.array(z.string()),
  /** Free bytes where it keeps images; null where that is not to be seen from here. */
  free_bytes: z.number().nullable(),
});
export type DockerInspection = z.infer<typeof DockerInspection>;

/**
 * What `out/main/inspect.js <data folder>` found, as one line of JSON on stdout: what only modules of the host can tell of
 * a data folder. It changes nothing. Paths are absolute, times are milliseconds since the epoch.
 */
export const Inspection = z.object({
  /** What settings.json says as far as it matters here, or what is wrong with it. */
  settings: z.object({
    problem: z.string().nullable(),
    port: z.number().nullable(),
    engine: z.string().nullable(),
  }),
  lock: z.object({ state: z.enum(['none', 'held', 'stale']), pid: z.number().nullable() }),
  /** Files of a host that was killed: its address, temporary files. Only told while no host holds the lock. */
  left: z.array(z.string()),
  /** Null without a control database in a folder that was never in use. */
  control: z
    .object({
      problem: z.string().nullable(),
      /** How to go on with a restore that was cut short, which left none; null without one. */
      cut_restore: z.string().nullable(),
      schema: z.number(),
      newest_schema: z.number(),
    })
    .nullable(),
  logs: z.object({
    total: z.number(),
    /** How many could be looked at in time. */
    looked_at: z.number(),
    damaged: z.array(z.object({ file: z.string(), problem: z.string() })),
  }),
  /** Folders of bots that the control database does not know. */
  unknown_folders: z.array(z.string()),
  /** Such folders that a host has moved out of the way. */
  set_aside: z.array(z.string()),
  /** Published versions whose code is gone, as `name version`. */
  missing_code: z.array(z.string()),
  /** The latest change of a file of the host that lies ahead of now; null: none does. */
  future: z.number().nullable(),
  docker: DockerInspection.nullable(),
});
export type Inspection = z.infer<typeof Inspection>;
