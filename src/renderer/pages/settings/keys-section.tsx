import { Link } from 'wouter';
import { ErrorNote } from '../../components/error-note.tsx';
import { KeyTable } from '../../components/key-table.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useFleet } from '../../data/fleet.ts';
import { usePreferences } from '../../data/preferences.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useKeys } from '../../data/use-api-keys.ts';
import { NewKey } from './new-key.tsx';
import styles from './settings.module.css';

/** The keys of this account. */
export function KeysSection() {
  const { called, usable, revoke } = useKeys();
  const bots = useFleet((one) => one.bots);
  const zone = usePreferences((one) => one.zone);
  return (
    <Section
      title="Keys"
      about={
        <>
          For programs that use the API or the command line. For an AI assistant, go to{' '}
          <Link href="/connect">Connect an assistant</Link>.
        </>
      }
      action={<NewKey onMade={called.reload} />}
    >
      {called.error === null ? null : <ErrorNote error={called.error} />}
      {usable === null ? (
        called.error === null ? (
          <Skeleton />
        ) : null
      ) : usable.length === 0 ? (
        <p className={styles.note}>There are no keys.</p>
      ) : (
        <KeyTable
          keys={usable}
          zone={zone}
          nameOfBot={(id) => bots?.get(id)?.name ?? id}
          onRevoke={(key) =>
            revoke(key.key_id).then(
              () => toastDone(`${key.name} was revoked`),
              (thrown) => toastFailed(`${key.name} could not be revoked`, thrown),
            )
          }
        />
      )}
    </Section>
  );
}
