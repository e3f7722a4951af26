import type { Handlers } from './handlers.ts';
import type { Services } from './services.ts';

/** What the host keeps, how long, and its backups. */
export function storageOperations(
  s: Services,
): Pick<Handlers, 'host.backups' | 'host.backup' | 'host.storage' | 'host.set_storage'> {
  return {
    'host.backups': async () => ({ items: await s.backups.list() }),
    'host.backup': ({ with_logs }) => s.backups.make(with_logs ?? false),
    'host.storage': () => s.storage.info(),
    'host.set_storage': (change) => s.storage.change(change),
  };
}
