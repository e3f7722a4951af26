import type { InstallSheet } from '../../../../contract/permits.ts';
import { sheetSummary } from '../../../../shared/permit-words.ts';

/** Most permits that an answer lists. */
const SHOWN = 40;

/** An install sheet as a field of an answer. Permits are checked names and numbers, and so no text of an author. */
export function sheetField(sheet: InstallSheet): Record<string, unknown> {
  const { wants, since, added, removed } = sheet;
  const changed = added.length + removed.length;
  return {
    summary: sheetSummary(sheet),
    wants: wants.slice(0, SHOWN),
    ...(wants.length > SHOWN ? { truncated: true } : {}),
    ...(changed === 0 ? {} : { since, added: added.slice(0, SHOWN), removed: removed.slice(0, SHOWN) }),
  };
}
