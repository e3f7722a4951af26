import { type FormEvent, useState } from 'react';
import { CHANNEL_FIELDS, CHANNEL_KINDS, CHANNEL_NAMES, type ChannelKind } from '../../../../contract/alarm-choices.ts';
import type { AlarmChannel } from '../../../../contract/alarms.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Field } from '../../../components/field.tsx';
import { Select } from '../../../components/select.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
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

interface ChannelDialogProps {
  readonly open: boolean;
  /** The channel that is edited; null: a new one. */
  readonly edited: AlarmChannel | null;
  /** Names of other channels. */
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Adds a channel, or changes one, and sends a test over it. */
export function ChannelDialog({ open, onClose, ...props }: ChannelDialogProps) {
  const [title, setTitle] = useState<string | null>(null);
  const close = (): void => {
    setTitle(null);
    onClose();
  };
  const usual = props.edited === null ? 'Add a channel' : `Edit ${props.edited.name}`;
  return (
    <Dialog open={open} title={title ?? usual} onClose={close}>
      <ChannelForm {...props} onClose={close} onWorks={(name) => setTitle(`${name} works`)} />
    </Dialog>
  );
}

type FormProps = Omit<ChannelDialogProps, 'open'> & { readonly onWorks: (name: string) => void };

function ChannelForm({ edited, names, onClose, onChanged, onWorks }: FormProps) {
  const { socket } = useHost();
  const [kind, setKind] = useState<ChannelKind>(edited?.kind ?? FIRST);
  const [name, setName] = useState(edited?.name ?? freeName(FIRST, names));
  const [settings, setSettings] = useState(() => (edited === null ? beginning(FIRST) : {}));
  const [made, setMade] = useState<AlarmChannel | null>(edited);
  const [cleared, setCleared] = useState<ReadonlySet<string>>(new Set());
  const [works, setWorks] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const begin = (next: ChannelKind): void => {
    setKind(next);
    setName(freeName(next, names));
    setSettings(beginning(next));
    setProblem(null);
    save.clear();
  };
  const save = useAction(async () => {
    setProblem(null);
    // Of a channel that is there, what is left empty stays as it is.
    const typed = Object.entries(settings).filter(([, text]) => edited === null || text !== '');
    const changed = Object.fromEntries([...typed, ...[...cleared].map((field) => [field, ''] as const)]);
    const change = Object.keys(changed).length === 0 ? {} : { settings: changed };
    const channel =
      made === null
        ? await socket.call('alarms.add_channel', { name, kind, settings })
        : await socket.call('alarms.change_channel', { channel_id: made.channel_id, name, ...change });
    setMade(channel);
    const test = await socket.call('alarms.test_channel', { channel_id: channel.channel_id });
    setMade(test.channel);
    setProblem(test.problem);
    onChanged();
    setWorks(test.sent);
    if (test.sent) onWorks(test.channel.name);
  });
  const toggleCleared = (field: string): void => {
    const next = new Set(cleared);
    if (!next.delete(field)) next.add(field);
    setCleared(next);
    setSettings((before) => ({ ...before, [field]: '' }));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save.run();
  };
  if (works && made !== null)
    return (
      <div className={styles.stack}>
        <p>The test message was sent to {made.target}. If it is there, you are told over this channel from now on.</p>
        <div className={styles.actions}>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    );
  return (
    <form className={styles.stack} onSubmit={submit}>
      <Select
        label="Kind"
        value={kind}
        options={KINDS}
        disabled={made !== null}
        onChange={(value) => begin(CHANNEL_KINDS.find((one) => one === value) ?? FIRST)}
      />
      <Field label="Name" value={name} onChange={setName} required maxLength={60} />
      {kind === 'desktop' ? (
        <p className={styles.dim}>
          Your desktop app shows alarms as notifications while it runs. Without a connected app they wait.
        </p>
      ) : null}
      {edited === null || CHANNEL_FIELDS[kind].length === 0 ? null : (
        <p className={styles.dim}>Leave a field empty to keep its value. The host never shows saved values.</p>
      )}
      {CHANNEL_FIELDS[kind].map((field) => (
        <div key={field.name} className={styles.clearable}>
          <Field
            label={field.optional === true ? `${field.label} (optional)` : field.label}
            hint={field.hint}
            type={field.name === 'password' || field.name === 'token' ? 'password' : 'text'}
            autoComplete="off"
            placeholder={edited === null ? undefined : cleared.has(field.name) ? 'Empty from now on' : 'As before'}
            disabled={cleared.has(field.name)}
            required={field.optional !== true && edited === null}
            value={settings[field.name] ?? ''}
            onChange={(text) => setSettings((before) => ({ ...before, [field.name]: text }))}
          />
          {edited === null || field.optional !== true ? null : (
            <label className={styles.clear}>
              <input type="checkbox" checked={cleared.has(field.name)} onChange={() => toggleCleared(field.name)} />
              Clear {field.label}
            </label>
          )}
        </div>
      ))}
      {save.error === null ? null : <ErrorNote error={save.error} />}
      {problem === null ? null : (
        <p role="alert" className={styles.warn}>
          The test message was not sent. {problem}.
        </p>
      )}
      <div className={styles.actions}>
        <Button onClick={onClose}>{made === null || made === edited ? 'Cancel' : 'Later'}</Button>
        <Button kind="primary" type="submit" busy={save.busy}>
          {made === null ? 'Add and send a test' : made === edited ? 'Save and send a test' : 'Send the test again'}
        </Button>
      </div>
    </form>
  );
}
