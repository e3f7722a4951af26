import { type FormEvent, useState } from 'react';
import type { AlarmWatch } from '../../../../contract/alarms.ts';
import type { Input } from '../../../../contract/operations.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Field } from '../../../components/field.tsx';
import { Section } from '../../../components/section.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Switch } from '../../../components/switch.tsx';
import { Ago } from '../../../components/time.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import { toastDone } from '../../../data/toasts.ts';
import { type Called, useAction } from '../../../data/use-call.ts';
import styles from '../settings.module.css';

/** The address that the host calls while it is well; for owners. */
export function WatchSection({ called: watch }: { readonly called: Called<AlarmWatch> }) {
  return (
    <Section
      title="Watched from outside"
      about="A machine that is down cannot tell you so. The host keeps calling a service such as healthchecks.io, which tells you when the calls stop."
    >
      {watch.error === null ? null : <ErrorNote error={watch.error} />}
      {watch.data === null ? (
        watch.error === null ? (
          <Skeleton />
        ) : null
      ) : (
        <Watch
          key={JSON.stringify([watch.data.target, watch.data.all_bots])}
          watch={watch.data}
          onChanged={watch.reload}
        />
      )}
    </Section>
  );
}

function State({ target, last_at, problem }: AlarmWatch) {
  if (problem !== null)
    return (
      <p className={styles.warn}>
        {target}: {problem}.
      </p>
    );
  return (
    <p>
      The host calls {target}.{' '}
      {last_at === null ? (
        'It has not answered yet.'
      ) : (
        <>
          It last answered <Ago at={last_at} />.
        </>
      )}
    </p>
  );
}

function Watch({ watch, onChanged }: { readonly watch: AlarmWatch; readonly onChanged: () => void }) {
  const { socket } = useHost();
  const [url, setUrl] = useState('');
  const [every, setEvery] = useState(String(watch.every_sec));
  const [allBots, setAllBots] = useState(watch.all_bots);
  const set = useAction(async (to: Input<'alarms.set_watch'>) => {
    await socket.call('alarms.set_watch', to);
    toastDone(to.url === null ? 'The host no longer calls a service' : 'The host now calls this address');
    onChanged();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void set.run({ url, every_sec: Number(every), all_bots: allBots });
  };
  // What is typed below and not sent stays out of it.
  const end = (): void => void set.run({ url: null, every_sec: watch.every_sec, all_bots: watch.all_bots });
  return (
    <div className={`${styles.box} ${styles.stack}`}>
      {watch.set ? (
        <div className={styles.row}>
          <State {...watch} />
          <Button kind="quiet" aria-label="End the calls" onClick={end}>
            End
          </Button>
        </div>
      ) : (
        <p className={styles.dim}>The host calls no service.</p>
      )}
      <form className={styles.stack} onSubmit={submit}>
        <Field
          label={watch.set ? 'Another address' : 'Address'}
          hint="Anybody who knows the address can call it, so the host seals it and never shows it again"
          type="url"
          required
          autoComplete="off"
          value={url}
          onChange={setUrl}
        />
        <Field
          label="Interval in seconds"
          type="number"
          min={10}
          max={86_400}
          required
          value={every}
          onChange={setEvery}
        />
        <Switch
          label="Only while no enabled bot needs you"
          hint="Off: while the host runs"
          on={allBots}
          onChange={setAllBots}
        />
        {set.error === null ? null : <ErrorNote error={set.error} />}
        <div className={styles.actions}>
          <Button type="submit" busy={set.busy}>
            {watch.set ? 'Change address' : 'Start calling'}
          </Button>
        </div>
      </form>
    </div>
  );
}
