import { HardDrive } from 'lucide-react';
import { useEffect } from 'react';
import { formatBytes } from '../../shared/format-quantity.ts';
import { useCall } from '../data/use-call.ts';
import styles from './bar.module.css';

/** The host looks every two seconds; a page need not know at once. */
const LOOK_MS = 15_000;

/** Says that the host's disk is filling up, for as long as it is. */
export function DiskSpaceBar() {
  const { data, reload } = useCall('host.storage', {});
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <div role="status" aria-live="polite">
      {data?.low === true ? (
        <div className={styles.bar}>
          <HardDrive className={styles.icon} aria-hidden="true" />
          <p className={styles.words}>
            <strong>Only {formatBytes(data.free_bytes)} are free on the disk of the host.</strong> Lines of bots wait in
            their files, and bots that write much are paused, until there is space again. Free some, and all goes on by
            itself.
          </p>
        </div>
      ) : null}
    </div>
  );
}
