import { z } from 'zod';
import { Timestamp } from '../../../contract/common.ts';

/**
 * A backup is one `.tar.gz`: `backup.json` first, so that a wrong release is refused before anything is unpacked, then
 * `control.db`, `ledger.db`, `settings.json`, `catalog/…` and `bots/<bot_id>/{state/…,rollups.db,log*.db}` as in a data folder, and
 * `manifest.json` last: a truncated archive has none.
 */
export const ABOUT = 'backup.json';
export const MANIFEST = 'manifest.json';

/** The one kind of link in a backup, which leads to RESULT_LINK: the catalogue creates it in the code of every version. */
export const CODE_LINK = /^catalog\/[^/]+\/[^/]+\/[^/]+\/result\.json$/;

/** Format of a backup; raised when older releases can no longer read the archive. 2: it may hold a ledger. */
export const FORMAT = 2;

/** Content of `backup.json`. */
export const About = z.object({
  format: z.number().int(),
  version: z.string(),
  made_at: Timestamp,
  with_logs: z.boolean(),
});
export type About = z.infer<typeof About>;

/** Content of `manifest.json`: every file of the archive except the manifest itself. */
export const Manifest = z.object({
  files: z.array(z.object({ path: z.string(), size: z.number().int(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;
