import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../node/clock.ts';
import { openHostKey } from '../../../node/host-key.ts';
import { IdSource } from '../../../shared/sortable-ids.ts';
import { createAuth } from '../auth/auth.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { createAuthStore } from '../control/auth-store.ts';
import { createBotStore } from '../control/bot-store.ts';
import { createCatalogStore } from '../control/catalog-store.ts';
import { openHostControl } from '../control/control-database.ts';
import { settlePlace } from '../control/data-folder-place-record.ts';
import { createEventStore } from '../control/event-store.ts';
import { createRunStore } from '../control/run-store.ts';
import { createSecretStore } from '../control/secret-store.ts';
import { createStagedStore } from '../control/staged-store.ts';
import { createVaultStore } from '../control/vault-store.ts';
import { Wishes } from '../control/wishes.ts';
import { NamedSecrets } from '../vault/named-secrets.ts';
import { createRowSeal } from '../vault/seal-rows.ts';
import { sealStored } from '../vault/seal-stored.ts';
import { Vault } from '../vault/vault.ts';
import type { Base } from './build-folder-and-log.ts';
import type { HostFlags } from './flags.ts';
import type { Shutdown } from './shutdown.ts';

export type Stores = Awaited<ReturnType<typeof buildStores>>;

/** The control database and what is stored in it: bots, runs, events, users, the catalogue. */
export async function buildStores(
  { folder, logger, now, onError }: Base,
  flags: Pick<HostFlags, 'hostIdentity' | 'keyFolder'>,
  shutdown: Shutdown,
) {
  const db = openHostControl(folder, now);
  shutdown.add(() => {
    db.close();
  });
  const settled = await settlePlace(db, folder.root, flags.hostIdentity, now);
  const vaultStore = createVaultStore(db);
  const vault = await Vault.open({ store: vaultStore, keyFolder: flags.keyFolder, dataDir: folder.root, now });
  const transaction = <T>(work: () => T): T => db.transaction(work)();
  const wishes = new Wishes(folder.wishFile);
  shutdown.add(() => wishes.close());
  const seal = createRowSeal(vault, ({ userId, customBot, version }) => catalog.open(userId, customBot, version));
  const bots = createBotStore(db, wishes, seal);
  const runs = createRunStore(db, seal);
  const events = createEventStore(db);
  const ids = new IdSource(now, randomBytes);
  const newRunId = (): string => ids.next('run');

  const token = `local_${randomBytes(32).toString('base64url')}`;
  const authStore = createAuthStore(db, wishes);
  const auth = createAuth({ store: authStore, now, hostToken: token, onError });
  shutdown.add(() => auth.close());
  const stagedStore = createStagedStore(db);
  const catalog = createCatalog({
    dir: folder.catalog,
    store: createCatalogStore(db),
    clock: systemClock,
    usedBy: (userId, name) => bots.using(userId, name),
    awaitedBy: (userId, name) => stagedStore.awaiting(userId, name, now()),
  });
  const secrets = new NamedSecrets({ store: createSecretStore(db), vault, bots, now });
  const hostKey = await openHostKey(folder.root);
  const sealAll = (): void =>
    sealStored(db, { store: vaultStore, secrets: { box: vault, seal, hostKey }, backups: folder.backups }, onError);
  sealAll();
  const swept = await catalog.sweep();
  if (swept.missing.length > 0) logger.error('code of published versions is missing', { versions: swept.missing });
  return {
    db,
    settled,
    vault,
    hostKey,
    secrets,
    sealAll,
    transaction,
    wishes,
    bots,
    runs,
    events,
    ids,
    newRunId,
    token,
    auth,
    catalog,
    stagedStore,
    isRevoked: (keyId: string): boolean => authStore.keyById(keyId)?.revoked_at !== null,
  };
}
