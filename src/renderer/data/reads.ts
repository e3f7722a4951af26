import type { CallName } from '../../contract/operations.ts';

/** `bots.query` and `auth.logout` need no more than the right to read, but do something. */
const READ =
  /\.(list|get|status|health|stats|summary|series|events|diagnosis|schema|files|file|diff|tree|read|changes|published_file|instance|storage|backups)$/;

/** Whether a call changes nothing, so that it may be done later than it was asked for. */
export function isRead(name: CallName): boolean {
  return READ.test(name);
}
