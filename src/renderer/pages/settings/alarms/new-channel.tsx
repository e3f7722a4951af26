import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { CHANNEL_FIELDS, CHANNEL_KINDS, CHANNEL_NAMES, type ChannelKind } from '../../../../contract/alarm-choices.ts';
import type { AlarmChannel } from '../../../../contract/alarms.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Field } from '../../../components/field.tsx';
import { Select } from '../../../components/select.tsx';
import { useHost } from '../../../data/host-context.ts';
import { useAction } from '../../../data/use-call.ts';
import styles from '../settings.module.css';

const FIRST: ChannelKind = 'telegram';
const KINDS = CHANNEL_KINDS.map((kind) => ({ value: kind, label: CHANNEL_NAMES[kind] }));
/** What most people enter. */
const USUAL: Readonly<Record<string, string>> = { port: '587' };

/** A secret that the receiver of a webhook gets as well; the person copies it from the form. */
const madeSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const beginning = (kind: ChannelKind): Record<string, string> =>
  Object.fromEntries(
    CHANNEL_FIELDS[kind].map(({ name }) => [name, name === 'secret' ? madeSecret() : (USUAL[name] ?? '')]),
  );

/** A name that no other channel has. */
function freeName(kind: ChannelKind, names: readonly string[]): string {
  const name = CHANNEL_NAMES[kind];
  for (let n = 1; ; n++) {
    const tried = n === 1 ? name : `${name} ${n}`;
    if (!names.includes(tried)) return tried;
  }
}

/** Adds a channel and sends a test over it. */
export function NewChannel({
  names,
  onChanged,
}: {
  readonly names: readonly string[];
  readonly onChanged: () => void;
}) {
  const { socket } = useHost();
  const [open, setOpen] = useState(false);
  const [kind, setKind] = useState<ChannelKind>(FIRST);
  const [name, setName] = useState('');
  const [settings, setSettings] = useState(() => beginning(FIRST));
  const [made, setMade] = useState<AlarmChannel | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const begin = (next: ChannelKind): void => {
    setKind(next);
    setName(freeName(next, names));
    setSettings(beginning(next));
    setProblem(null);
    add.clear();
  };
  const add = useAction(async () => {
    setProblem(null);
    // After a test that failed the channel is there, and its settings are replaced.
    const channel =
      made === null
        ? await socket.call('alarms.add_channel', { name, kind, settings })
        : await socket.call('alarms.change_channel', { channel_id: made.channel_id, name, settings });
    setMade(channel);
    const test = await socket.call('alarms.test_channel', { channel_id: channel.channel_id });
    setMade(test.channel);
    setProblem(test.problem);
    onChanged();
  });
  const close = (): void => {
    setOpen(false);
    setMade(null);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void add.run();
  };
  const works = made?.state === 'ok';
  return (
    <>
      <Button
        kind="primary"
        icon={<Plus aria-hidden="true" />}
        onClick={() => {
          begin(FIRST);
          setOpen(true);
        }}
      >
        Add channel
      </Button>
      <Dialog open={open} title={works ? `${made.name} works` : 'Add a channel'} onClose={close}>
        {works ? (
          <div className={styles.stack}>
            <p>
              The test message was sent to {made.target}. If it is there, you are told over this channel from now on.
            </p>
            <div className={styles.actions}>
              <Button kind="primary" onClick={close}>
                Done
              </Button>
            </div>
          </div>
        ) : (
          <form className={styles.stack} onSubmit={submit}>
            <Select
              label="Kind"
              value={kind}
              options={KINDS}
              disabled={made !== null}
              onChange={(value) => begin(CHANNEL_KINDS.find((one) => one === value) ?? FIRST)}
            />
            <Field label="Name" value={name} onChange={setName} required maxLength={60} />
            {CHANNEL_FIELDS[kind].map((field) => (
              <Field
                key={field.name}
                label={field.optional === true ? `${field.label} (optional)` : field.label}
                hint={field.hint}
                type={field.name === 'password' || field.name === 'token' ? 'password' : 'text'}
                autoComplete="off"
                required={field.optional !== true}
                value={settings[field.name] ?? ''}
                onChange={(text) => setSettings((before) => ({ ...before, [field.name]: text }))}
              />
            ))}
            {add.error === null ? null : <ErrorNote error={add.error} />}
            {problem === null ? null : (
              <p role="alert" className={styles.warn}>
                The test message was not sent. {problem}.
              </p>
            )}
            <div className={styles.actions}>
              <Button onClick={close}>{made === null ? 'Cancel' : 'Later'}</Button>
              <Button kind="primary" type="submit" busy={add.busy}>
                {made === null ? 'Add and send a test' : 'Send the test again'}
              </Button>
            </div>
          </form>
        )}
      </Dialog>
    </>
  );
}
