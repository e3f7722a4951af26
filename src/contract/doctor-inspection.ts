import { z } from 'zod';
import { Timestamp } from './common.ts';
import { IsolationLevel } from './isolation.ts';
import { SandboxTrial } from './sandbox-trial.ts';

/** A container engine's description of itself, or the reason why none answers. */
export const ContainerInspection = z.object({
  /** The address in its usual form, such as `unix:///var/run/docker.sock`. */
  address: z.string(),
  /** Code of the system, or a text, when the engine cannot be reached; else null. */
  problem: z.string().nullable(),
  version: z.string().nullable(),
  api: z.string().nullable(),
  cgroups: z.string().nullable(),
  driver: z.string().nullable(),
  /** Kinds of limits that it cannot set: memory, cpu, processes. */
  no_limits: z.array(z.string()),
  /** Free bytes where the engine keeps images; null where this machine cannot see that. */
  free_bytes: z.number().nullable(),
});
export type ContainerInspection = z.infer<typeof ContainerInspection>;

/**
 * Findings of `out/main/inspect.js <data folder>`, one line of JSON on stdout: facts about a data folder that only
 * modules of the host can tell. It changes nothing. Paths are absolute, times are milliseconds since the epoch.
 */
export const Inspection = z.object({
  /** The settings that matter here, or the fault of settings.json. */
  settings: z.object({
    problem: z.string().nullable(),
    port: z.number().nullable(),
    engine: z.string().nullable(),
  }),
  lock: z.object({
    state: z.enum(['none', 'held', 'stale']),
    pid: z.number().nullable(),
    /** Description of the holder where its process cannot be seen from here; else null. */
    by: z.string().nullable(),
  }),
  /** Comparison of the folder's place with the recorded one; null without a record, as before the first host. */
  place: z
    .object({
      state: z.enum(['here', 'copied', 'unproved']),
      /** Name given by --host-identity. */
      identity: z.string().nullable(),
      /** The former place, or the reason why the present one cannot be proved. */
      note: z.string().nullable(),
    })
    .nullable(),
  /** Files of a host that was killed: its address, temporary files. Reported only while no host holds the lock. */
  left: z.array(z.string()),
  /** Bots whose programs go on without a host; null while one holds the lock, or where control.db does not tell. */
  going_on: z.number().nullable(),
  /** Null without a control database in a folder that was never in use. */
  control: z
    .object({
      problem: z.string().nullable(),
      /** Advice to complete the interrupted restore that left no settings; null without one. */
      cut_restore: z.string().nullable(),
      schema: z.number(),
      newest_schema: z.number(),
      /** The least isolation that the host demands, and bots that run with less as exceptions; null where unknown. */
      isolation: z.object({ least: IsolationLevel, exceptions: z.array(z.string()) }).nullable(),
      /** Running bots that others than the host can reach. */
      exposed: z.array(z.object({ name: z.string(), message: z.string(), hint: z.string().nullable() })),
      /** Deleted bots that are not removed yet. */
      trash: z.array(z.object({ name: z.string(), deleted_at: Timestamp })),
    })
    .nullable(),
  /** Null without a ledger. */
  ledger: z.object({ problem: z.string().nullable() }).nullable(),
  logs: z.object({
    total: z.number(),
    /** Number of logs that were checked in time. */
    looked_at: z.number(),
    damaged: z.array(z.object({ file: z.string(), problem: z.string() })),
  }),
  /** Folders of bots that the control database does not know. */
  unknown_folders: z.array(z.string()),
  /** Such folders that a host has moved out of the way. */
  set_aside: z.array(z.string()),
  /** Published versions whose code is gone, as `name version`. */
  missing_code: z.array(z.string()),
  /** The latest modification time of a host file, if it lies in the future; else null. */
  future: z.number().nullable(),
  containers: ContainerInspection.nullable(),
  /** Null where this system has no sandbox for local processes. */
  sandbox: SandboxTrial.nullable(),
});
export type Inspection = z.infer<typeof Inspection>;
