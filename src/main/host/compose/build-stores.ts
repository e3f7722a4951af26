import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../node/clock.ts';
import { IdSource } from '../../../shared/ids.ts';
import { createAuth } from '../auth/auth.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { createAuthStore } from '../control/auth-store.ts';
import { createBotStore } from '../control/bot-store.ts';
import { createCatalogStore } from '../control/catalog-store.ts';
import { openHostControl } from '../control/control-database.ts';
import { settlePlace } from '../control/data-folder-place-record.ts';
import { createEventStore } from '../control/event-store.ts';
import { createRunStore } from '../control/run-store.ts';
import { Wishes } from '../control/wishes.ts';
import type { Base } from './build-folder-and-log.ts';
import type { HostFlags } from './flags.ts';
import type { Shutdown } from './shutdown.ts';

export type Stores = Awaited<ReturnType<typeof buildStores>>;

/** The control database and what is stored in it: bots, runs, events, users, the catalogue. */
export async function buildStores(
  { folder, logger, now, onError }: Base,
  flags: Pick<HostFlags, 'hostIdentity'>,
  shutdown: Shutdown,
) {
  const db = openHostControl(folder, now);
  shutdown.add(() => {
    db.close();
  });
  const settled = await settlePlace(db, folder.root, flags.hostIdentity, now);
  const transaction = <T>(work: () => T): T => db.transaction(work)();
  const wishes = new Wishes(folder.wishFile);
  shutdown.add(() => wishes.close());
  const bots = createBotStore(db, wishes);
  const runs = createRunStore(db);
  const events = createEventStore(db);
  const ids = new IdSource(now, randomBytes);
  const newRunId = (): string => ids.next('run');

  const token = `local_${randomBytes(32).toString('base64url')}`;
  const auth = createAuth({ store: createAuthStore(db, wishes), now, hostToken: token, onError });
  shutdown.add(() => auth.close());
  const catalog = createCatalog({
    dir: folder.catalog,
    store: createCatalogStore(db),
    clock: systemClock,
    usedBy: (userId, name) => bots.using(userId, name),
  });
  const swept = await catalog.sweep();
  if (swept.missing.length > 0) logger.error('code of published versions is missing', { versions: swept.missing });
  return { db, settled, transaction, wishes, bots, runs, events, ids, newRunId, token, auth, catalog };
}
