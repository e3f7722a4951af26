import { Power } from 'lucide-react';
import { useState } from 'react';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { NameValueList } from '../../components/name-value-list.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Since, Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { botCountsByState } from './bot-counts-by-state.ts';
import styles from './settings.module.css';

function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span className={styles.copied}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

/** The host itself: where it is, how long it runs, and its end. */
export function HostSection() {
  const { who } = useHost();
  const { data: host, error } = useCall('host.get', {});
  const zone = usePreferences((one) => one.zone);
  if (host === null) return error === null ? <Skeleton rows={6} /> : <ErrorNote error={error} />;
  const { query_pool: pool } = host;
  const rows = [
    ['Address', <Copied key="url" text={host.url} label="Copy address" />],
    ...(host.data_dir === null
      ? []
      : [['Data folder', <Copied key="data" text={host.data_dir} label="Copy folder" />] as const]),
    [
      'Runs since',
      <span key="since">
        <Time at={host.started_at} zone={zone} /> {zone === 'UTC' ? 'UTC' : ''} (<Since at={host.started_at} />)
      </span>,
    ],
    ['Your bots', botCountsByState(host.bots)],
    [
      'Query pool',
      `${pool.waiting} of ${pool.limit} programs wait for a question, ${formatBytes(pool.memory_bytes)} of ${formatBytes(pool.memory_limit_bytes)}`,
    ],
    ['Price feed', <Copied key="feed" text={host.feed_url} label="Copy address of the feed" />],
    ...(host.pid === null ? [] : [['Process', `${host.pid}`] as const]),
  ] as const;
  return (
    <>
      <Section title="Host">
        <div className={styles.box}>
          <NameValueList rows={rows} />
        </div>
      </Section>
      {who.user.role === 'owner' ? <Stop running={(host.bots.running ?? 0) + (host.bots.starting ?? 0)} /> : null}
    </>
  );
}

type Bots = 'end' | 'leave';

function Stop({ running }: { readonly running: number }) {
  const { socket } = useHost();
  const [open, setOpen] = useState(false);
  const [bots, setBots] = useState<Bots>('end');
  const stop = useAction(async () => {
    await socket.call('host.stop', { leave_bots: bots === 'leave' });
    setOpen(false);
  });
  const many = running === 1 ? 'The bot that runs now' : `The ${running} bots that run now`;
  return (
    <Section title="Stop the host">
      <div className={`${styles.box} ${styles.row}`}>
        <p className={styles.dim}>
          Nothing is scheduled and no page is served until you start it again with <code>npx platform start</code>.
        </p>
        <Button kind="danger" icon={<Power aria-hidden="true" />} onClick={() => setOpen(true)}>
          Stop host…
        </Button>
      </div>
      <Confirm
        open={open}
        title="Stop the host?"
        label="Stop host"
        busy={stop.busy}
        error={stop.error}
        onConfirm={() => void stop.run()}
        onCancel={() => setOpen(false)}
      >
        <p>This page stays open and goes on when the host is back. Other users of the host are cut off, too.</p>
        {running === 0 ? null : (
          <Choice<Bots>
            label={many}
            layout="list"
            options={[
              { value: 'end', label: 'End them', about: 'They start again with the host.' },
              { value: 'leave', label: 'Let them run', about: 'The next host takes them over.' },
            ]}
            value={bots}
            onChange={setBots}
          />
        )}
      </Confirm>
    </Section>
  );
}
