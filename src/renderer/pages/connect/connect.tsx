import { useSearch } from 'wouter';
import { ErrorNote } from '../../components/error-note.tsx';
import { KeyTable } from '../../components/key-table.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useFleet } from '../../data/fleet.ts';
import { usePreferences } from '../../data/preferences.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useKeys } from '../../data/use-api-keys.ts';
import { useCall } from '../../data/use-call.ts';
import { ActivityList } from './activity.tsx';
import { ApproveDeviceCode } from './approve-device-code.tsx';
import styles from './connect.module.css';
import { SetUp } from './set-up.tsx';
import { foundHere } from './setup-plan.ts';

/** Connects assistants: a key for each, its activity, and how to revoke it. */
export function Connect() {
  const host = useCall('host.get', {});
  const assistants = useCall('assistants.list', {});
  const keys = useKeys();
  const bots = useFleet((one) => one.bots);
  // The address that a program prints carries its code.
  const given = new URLSearchParams(useSearch()).get('code');
  const approve = <ApproveDeviceCode given={given ?? ''} onDone={keys.called.reload} />;
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
          known={assistants.data?.items ?? []}
          here={foundHere(assistants.data?.items ?? [], window.location.origin)}
          host={host.data}
          onMade={keys.called.reload}
        />
      )}
      <Section title="Keys" about="A key gives access to the assistant or program that has it.">
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
