import { CircleCheck, LoaderCircle } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ApiKey } from '../../../contract/account.ts';
import { TOOL_COUNTS } from '../../../shared/tool-counts.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useCall } from '../../data/use-call.ts';
import { useOnChange, useReadEvery } from '../../data/use-every-while-visible.ts';
import styles from './first-call.module.css';

const EVERY_MS = 2000;
/** An assistant that was set up and restarted has called by then. */
const LATE_MS = 60_000;

interface FirstCallProps {
  readonly madeKey: Pick<ApiKey, 'key_id' | 'name' | 'scope' | 'extended'>;
  readonly onConnected: () => void;
}

/** Waits for the first request with a key that was just made: then its assistant is set up. */
export function FirstCall({ madeKey: { key_id, name, scope, extended }, onConnected }: FirstCallProps) {
  const keys = useCall('keys.list', {});
  const known = keys.data?.items.find((one) => one.key_id === key_id);
  const isRevoked = known !== undefined && known.revoked_at !== null;
  const isConnected = known !== undefined && known.last_used_at !== null;
  useReadEvery(EVERY_MS, keys, !isConnected && !isRevoked);
  useOnChange(String(isConnected), onConnected);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (isRevoked) return null;
  return (
    <>
      {keys.error === null ? null : <ErrorNote error={keys.error} />}
      <p role="status" className={`${styles.call} ${isConnected ? styles.connected : styles.waiting}`}>
        {isConnected ? <CircleCheck aria-hidden="true" /> : <LoaderCircle aria-hidden="true" />}
        {isConnected
          ? `Connected: ${TOOL_COUNTS[scope]} tools${extended ? ', and the further ones' : ''}`
          : `Waiting for the first call of ${name}`}
      </p>
      {isLate && !isConnected ? (
        <p role="status">
          No call yet. Check that you restarted {name} after you saved its settings, that they have this key, and that
          its machine reaches the address above.
        </p>
      ) : null}
    </>
  );
}
