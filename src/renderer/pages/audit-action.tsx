import { Link } from 'wouter';
import type { AuditEntry } from '../../contract/account.ts';
import { useFleet } from '../data/fleet.ts';
import styles from './audit-action.module.css';

interface AuditActionProps {
  readonly entry: Pick<AuditEntry, 'deed' | 'operation' | 'target'>;
  /** Shows the operation and the id below the words. */
  readonly exact?: boolean;
}

/** Deed of an audit entry, with a link to its bot while there is one. */
export function AuditAction({ entry: { deed, operation, target }, exact = false }: AuditActionProps) {
  const isBot = useFleet(({ bots }) => target !== null && bots?.has(target) === true);
  return (
    <>
      {isBot ? <Link href={`/bots/${target}`}>{deed}</Link> : deed}
      {exact ? (
        <code className={styles.exact}>
          {operation}
          {target === null ? null : ` ${target}`}
        </code>
      ) : null}
    </>
  );
}
