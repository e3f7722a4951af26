import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import {
  ALARM_EVENT_NAMES,
  ALARM_EVENTS,
  type AlarmEventName,
  SEVERITIES,
  type Severity,
} from '../../../../contract/alarm-choices.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Field } from '../../../components/field.tsx';
import { Select } from '../../../components/select.tsx';
import { Switch } from '../../../components/switch.tsx';
import { useFleet } from '../../../data/fleet.ts';
import { useHost } from '../../../data/host-context.ts';
import { useAction } from '../../../data/use-call.ts';
import styles from '../settings.module.css';

const ALL = '';
const EVENTS = ALARM_EVENT_NAMES.map((event) => ({ value: event, label: ALARM_EVENTS[event] }));
const LEVELS = SEVERITIES.map((one) => ({ value: one, label: `${one[0]?.toUpperCase()}${one.slice(1)}` }));

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** Adds a rule of one event. */
export function NewRule({ onAdded }: { readonly onAdded: () => void }) {
  const { socket } = useHost();
  const bots = useFleet((one) => one.bots);
  const [open, setOpen] = useState(false);
  const [on, setOn] = useState<AlarmEventName>('failed');
  const [bot, setBot] = useState(ALL);
  const [severity, setSeverity] = useState<Severity>('warning');
  const [minutes, setMinutes] = useState('10');
  const [metric, setMetric] = useState('');
  const [above, setAbove] = useState('');
  const [below, setBelow] = useState('');
  const [quietFrom, setQuietFrom] = useState('');
  const [quietTo, setQuietTo] = useState('');
  const [withText, setWithText] = useState(false);
  const hasTime = on === 'silent' || on === 'run_too_slow';
  const add = useAction(async () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const isQuiet = quietFrom !== '' && quietTo !== '';
    await socket.call('alarms.add_rule', {
      on: [on],
      severity,
      bots: bot === ALL ? null : [bot],
      for_sec: hasTime ? Math.round(Number(minutes) * 60) : null,
      metric: (on === 'metric' || on === 'silent') && metric !== '' ? metric : null,
      above: on === 'metric' ? numberOf(above) : null,
      below: on === 'metric' ? numberOf(below) : null,
      quiet: isQuiet ? { from: quietFrom, to: quietTo, zone } : null,
      with_text: withText,
    });
    setOpen(false);
    onAdded();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void add.run();
  };
  const names = [...(bots?.values() ?? [])].map(({ bot_id, name }) => ({ value: bot_id, label: name }));
  return (
    <>
      <Button icon={<Plus aria-hidden="true" />} onClick={() => setOpen(true)}>
        Add rule
      </Button>
      <Dialog open={open} title="Tell me when…" onClose={() => setOpen(false)}>
        <form className={styles.stack} onSubmit={submit}>
          <Select
            label="When"
            value={on}
            options={EVENTS}
            onChange={(value) => setOn(ALARM_EVENT_NAMES.find((one) => one === value) ?? 'failed')}
          />
          <Select label="Of" value={bot} options={[{ value: ALL, label: 'All bots' }, ...names]} onChange={setBot} />
          {hasTime ? (
            <Field label="For how many minutes" type="number" min={1} required value={minutes} onChange={setMinutes} />
          ) : null}
          {on === 'metric' || on === 'silent' ? (
            <Field
              label={on === 'metric' ? 'Metric' : 'Metric (optional)'}
              hint={on === 'metric' ? 'Its type, such as equity; its field "value" counts' : 'Empty: no line at all'}
              required={on === 'metric'}
              value={metric}
              onChange={setMetric}
            />
          ) : null}
          {on === 'metric' ? (
            <>
              <Field label="Above" type="number" step="any" value={above} onChange={setAbove} />
              <Field label="Below" type="number" step="any" value={below} onChange={setBelow} />
            </>
          ) : null}
          <Select
            label="How bad it is"
            hint="What is critical is also told during quiet hours"
            value={severity}
            options={LEVELS}
            onChange={(value) => setSeverity(SEVERITIES.find((one) => one === value) ?? 'warning')}
          />
          <Field label="Quiet from (optional)" type="time" value={quietFrom} onChange={setQuietFrom} />
          <Field label="Quiet until (optional)" type="time" value={quietTo} onChange={setQuietTo} />
          <Switch
            label="Quote what the bot said"
            hint="Masked, and at most 200 characters"
            on={withText}
            onChange={setWithText}
          />
          {add.error === null ? null : <ErrorNote error={add.error} />}
          <div className={styles.actions}>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button kind="primary" type="submit" busy={add.busy}>
              Add rule
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
