import { useState } from 'react';
import { CHANNEL_NAMES } from '../../../../contract/alarm-choices.ts';
import type { AlarmChannel } from '../../../../contract/alarms.ts';
import { Button } from '../../../components/button.tsx';
import { Confirm } from '../../../components/confirm.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Section } from '../../../components/section.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import table from '../../../components/table.module.css';
import { Table } from '../../../components/table.tsx';
import { Ago } from '../../../components/time.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import { toastDone, toastFailed } from '../../../data/toasts.ts';
import { type Called, useAction } from '../../../data/use-call.ts';
import styles from '../settings.module.css';
import { AddChannelButton } from './add-channel-button.tsx';
import { ChannelDialog } from './channel-dialog.tsx';

const STATES = { unverified: 'Not tested yet', ok: 'Works', disabled: 'Switched off' } as const;

function StateOf({ state, problem, waiting }: Pick<AlarmChannel, 'state' | 'problem' | 'waiting'>) {
  const tone = state === 'ok' && problem === null ? styles.good : `${styles.bad} ${styles.warn}`;
  const more = [...(problem === null ? [] : [problem]), ...(waiting === 0 ? [] : [`${waiting} waiting`])];
  return (
    <>
      <span className={tone}>{state === 'ok' && problem !== null ? 'Has trouble' : STATES[state]}</span>
      {more.length === 0 ? null : <div className={table.dim}>{more.join(' · ')}</div>}
    </>
  );
}

function Channels({
  channels,
  onChanged,
}: {
  readonly channels: readonly AlarmChannel[];
  readonly onChanged: () => void;
}) {
  const { socket } = useHost();
  const [testing, setTesting] = useState<string | null>(null);
  const [edited, setEdited] = useState<AlarmChannel | null>(null);
  const [isEditing, setEditing] = useState(false);
  const [removed, setRemoved] = useState<AlarmChannel | null>(null);
  const test = ({ channel_id, name }: AlarmChannel): void => {
    setTesting(channel_id);
    socket
      .call('alarms.test_channel', { channel_id })
      .then(
        ({ sent, problem }) => {
          if (sent) toastDone(`A test message is on its way to ${name}`);
          else toastFailed(`The test did not reach ${name}`, new Error(problem ?? ''));
          onChanged();
        },
        (thrown) => toastFailed(`The test did not reach ${name}`, thrown),
      )
      .finally(() => setTesting(null));
  };
  const remove = useAction(async () => {
    if (removed !== null) await socket.call('alarms.remove_channel', { channel_id: removed.channel_id });
    setRemoved(null);
    onChanged();
  });
  return (
    <>
      <Table heads={['Name', 'Leads to', 'State', 'Last sent']} actions="Actions">
        {channels.map((channel) => (
          <tr key={channel.channel_id}>
            <td className={table.name}>{channel.name}</td>
            <td className={table.line} data-head="Leads to">
              {CHANNEL_NAMES[channel.kind]}
              <div className={table.dim}>{channel.target}</div>
            </td>
            <td className={table.few} data-head="State">
              <StateOf {...channel} />
            </td>
            <td className={`${table.line} ${table.dim}`} data-head="Last sent">
              {channel.last_sent_at === null ? 'never' : <Ago at={channel.last_sent_at} />}
            </td>
            <td className={table.end}>
              <Button
                kind="quiet"
                aria-label={`Send a test to ${channel.name}`}
                busy={testing === channel.channel_id}
                onClick={() => test(channel)}
              >
                Send a test
              </Button>
              <Button
                kind="quiet"
                aria-label={`Edit ${channel.name}`}
                onClick={() => {
                  setEdited(channel);
                  setEditing(true);
                }}
              >
                Edit
              </Button>
              <Button kind="quiet" aria-label={`Remove ${channel.name}`} onClick={() => setRemoved(channel)}>
                Remove
              </Button>
            </td>
          </tr>
        ))}
      </Table>
      <ChannelDialog
        open={isEditing}
        edited={edited}
        names={channels.filter((one) => one !== edited).map(({ name }) => name)}
        onClose={() => setEditing(false)}
        onChanged={onChanged}
      />
      <Confirm
        open={removed !== null}
        title={`Remove ${removed?.name ?? ''}?`}
        label="Remove it"
        busy={remove.busy}
        error={remove.error}
        onConfirm={() => void remove.run()}
        onCancel={() => setRemoved(null)}
      >
        <p>Nothing more is sent over it, and its credentials are deleted. Messages that wait for it are dropped.</p>
      </Confirm>
    </>
  );
}

/** The channels of this user. */
export function ChannelsSection({
  called: { data, error },
  onChanged,
}: {
  readonly called: Called<{ readonly items: readonly AlarmChannel[] }>;
  readonly onChanged: () => void;
}) {
  return (
    <Section
      title="Channels"
      about="Where you are told when you are not looking. A channel is used once a test message has reached you."
      action={<AddChannelButton names={data?.items.map(({ name }) => name) ?? []} onChanged={onChanged} />}
    >
      {error === null ? null : <ErrorNote error={error} />}
      {data === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : data.items.length === 0 ? (
        <p className={styles.note}>
          There are no channels: alarms reach only the bell of this page. Add Telegram, e-mail or another one.
        </p>
      ) : (
        <Channels channels={data.items} onChanged={onChanged} />
      )}
    </Section>
  );
}
