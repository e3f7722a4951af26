import { z } from 'zod';

/** Permits: what a version of a custom bot asks for besides its own folders (docs/writing-bots.md#permits). */

/**
 * A name of the DNS in lower case, as it goes over the wire (`xn--` for other scripts), maybe with `*.` for one label in
 * front. The last label begins with a letter, so that no spelling of an address passes.
 */
const HOST_NAME = /^(?=.{4,253}$)(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

const Port = z.int().min(1, 'a port is 1 to 65535').max(65_535, 'a port is 1 to 65535');

/** One destination: a host, its port, and whether the connection must be TLS for this name. */
export const NetworkPermit = z.strictObject({
  host: z.string().regex(HOST_NAME, 'host must be a name in lower case such as api.example.com or *.example.com'),
  port: Port,
  tls: z.boolean(),
});
export type NetworkPermit = z.infer<typeof NetworkPermit>;

/** `permits` of bot-config.yaml. A field that is left out asks for nothing of its kind. */
export const Permits = z.strictObject({
  network: z.array(NetworkPermit).max(100, 'at most 100 destinations').optional(),
  /** Ports of this machine and of its local network. */
  local: z.array(Port).max(20, 'at most 20 ports').optional(),
  /** Names of secrets. */
  secrets: z
    .array(z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'a name has up to 64 letters, digits and "_", ".", "-"'))
    .max(50, 'at most 50 secrets')
    .optional(),
  /** Megabytes that the program needs. */
  memory_mb: z.int().min(16, 'at least 16 MB').max(1_048_576, 'at most 1048576 MB').optional(),
});
export type Permits = z.infer<typeof Permits>;

/** What a version asks for, in sentences that every surface shows as they are, and what the version before it did not. */
export const InstallSheet = z.object({
  /** False for a version without `permits`: it says nothing about what it needs. */
  declares: z.boolean(),
  wants: z.array(z.string()),
  /** The highest version below this one; null for the first. */
  since: z.string().nullable(),
  /** What it wants beyond that version. */
  added: z.array(z.string()),
  /** What that version wanted, and this one does not. */
  removed: z.array(z.string()),
});
export type InstallSheet = z.infer<typeof InstallSheet>;
