import { useSearch } from 'wouter';
import { useFleet } from '../../data/fleet.ts';
import { useKeys } from '../../data/keys.ts';
import { usePreferences } from '../../data/preferences.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useCall } from '../../data/use-call.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { KeyTable } from '../../parts/key-table.tsx';
import { Section } from '../../parts/section.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { ActivityList } from './activity.tsx';
import { Approve } from './approve.tsx';
import styles from './connect.module.css';
import { foundHere } from './plan.ts';
import { SetUp } from './set-up.tsx';

/** Lets assistants work with the bots: a key for each, what it did, and how to take it back. */
export function Connect() {
  const host = useCall('host.get', {});
  const assistants = useCall('assistants.list', {});
  const keys = useKeys();
  const bots = useFleet((one) => one.bots);
  // Whoever comes by the address that a program has printed came for this.
  const given = new URLSearchParams(useSearch()).get('code');
  const approve = <Approve given={given ?? ''} onDone={keys.called.reload} />;
  const zone = usePreferences((one) => one.zone);
  return (
    <div className={styles.place}>
      <header>
        <h1>Connect an assistant</h1>
        <p className={styles.lead}>
          An AI assistant can deploy, watch and mend your bots over MCP. Each gets a key of its own, which says what it
          may do and can be taken back.
        </p>
      </header>
      {given === null ? null : approve}
      {host.data === null || (assistants.loading && assistants.data === null) ? (
        host.error === null ? (
          <Skeleton rows={6} />
        ) : (
          <ErrorNote error={host.error} />
        )
      ) : (
        <SetUp
          here={foundHere(assistants.data?.items ?? [], window.location.origin)}
          host={host.data}
          onMade={keys.called.reload}
        />
      )}
      <Section title="Keys" about="Whoever has a key is let in with it, an assistant or any other program.">
        {keys.called.error === null ? null : <ErrorNote error={keys.called.error} />}
        {keys.usable === null ? (
          keys.called.error === null ? (
            <Skeleton />
          ) : null
        ) : keys.usable.length === 0 ? (
          <p className={styles.none}>No assistant has a key yet.</p>
        ) : (
          <KeyTable
            keys={keys.usable}
            zone={zone}
            nameOfBot={(id) => bots?.get(id)?.name ?? id}
            onRevoke={(key) =>
              keys.revoke(key.key_id).then(
                () => toastDone(`${key.name} was revoked`),
                (thrown) => toastFailed(`${key.name} could not be revoked`, thrown),
              )
            }
          />
        )}
      </Section>
      <ActivityList keys={keys.called.data?.items ?? []} />
      {given === null ? approve : null}
    </div>
  );
}
