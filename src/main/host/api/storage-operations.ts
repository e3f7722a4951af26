import type { Handlers } from './handler-types.ts';
import type { Services } from './services.ts';

/** Operations on backups and on the rules of storage: free space, retention, and the number of copies kept. */
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
