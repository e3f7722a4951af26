import { type FormEvent, useState } from 'react';
import {
  ALARM_EVENT_NAMES,
  ALARM_EVENTS,
  type AlarmEventName,
  SEVERITIES,
  type Severity,
} from '../../contract/alarm-choices.ts';
import { Button } from '../components/button.tsx';
import styles from '../components/dialog.module.css';
import { Dialog } from '../components/dialog.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Field } from '../components/field.tsx';
import { Select } from '../components/select.tsx';
import { Switch } from '../components/switch.tsx';
import { useHost } from '../data/connection-and-user.ts';
import { useFleet } from '../data/fleet.ts';
import { useAction } from '../data/use-call.ts';

/** What a rule begins with. */
export interface RuleStart {
  readonly on?: AlarmEventName;
  /** Id of the bot. */
  readonly bot?: string;
  readonly metric?: string;
  readonly field?: string;
}

interface RuleDialogProps {
  readonly open: boolean;
  readonly start?: RuleStart;
  readonly onClose: () => void;
  /** Called with the sentence of the new rule. */
  readonly onAdded: (sentence: string) => void;
}

const ALL = '';
const EVENTS = ALARM_EVENT_NAMES.map((event) => ({ value: event, label: ALARM_EVENTS[event] }));
const LEVELS = SEVERITIES.map((one) => ({ value: one, label: `${one[0]?.toUpperCase()}${one.slice(1)}` }));
const USUAL_FIELD = 'value';

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** Asks for a rule of one event, and adds it. */
export function AlarmRuleDialog({ open, start = {}, onClose, onAdded }: RuleDialogProps) {
  return (
    <Dialog open={open} title="Tell me when…" onClose={onClose}>
      <RuleForm start={start} onClose={onClose} onAdded={onAdded} />
    </Dialog>
  );
}

function RuleForm({ start, onClose, onAdded }: Required<Omit<RuleDialogProps, 'open'>>) {
  const { socket } = useHost();
  const bots = useFleet((one) => one.bots);
  const [on, setOn] = useState<AlarmEventName>(start.on ?? 'failed');
  const [bot, setBot] = useState(start.bot ?? ALL);
  const [severity, setSeverity] = useState<Severity>('warning');
  const [minutes, setMinutes] = useState('10');
  const [metric, setMetric] = useState(start.metric ?? '');
  const [field, setField] = useState(start.field ?? USUAL_FIELD);
  const [above, setAbove] = useState('');
  const [below, setBelow] = useState('');
  const [quietFrom, setQuietFrom] = useState('');
  const [quietTo, setQuietTo] = useState('');
  const [withText, setWithText] = useState(false);
  const hasTime = on === 'silent' || on === 'run_too_slow';
  const add = useAction(async () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const isQuiet = quietFrom !== '' && quietTo !== '';
    const { sentence } = await socket.call('alarms.add_rule', {
      on: [on],
      severity,
      bots: bot === ALL ? null : [bot],
      for_sec: hasTime ? Math.round(Number(minutes) * 60) : null,
      metric: (on === 'metric' || on === 'silent') && metric !== '' ? metric : null,
      field: on === 'metric' && field !== USUAL_FIELD ? field : null,
      above: on === 'metric' ? numberOf(above) : null,
      below: on === 'metric' ? numberOf(below) : null,
      quiet: isQuiet ? { from: quietFrom, to: quietTo, zone } : null,
      with_text: withText,
    });
    onAdded(sentence);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void add.run();
  };
  const names = [...(bots?.values() ?? [])].map(({ bot_id, name }) => ({ value: bot_id, label: name }));
  return (
    <form className={styles.form} onSubmit={submit}>
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
          hint={on === 'metric' ? 'Its type, such as equity' : 'Empty: no line at all'}
          required={on === 'metric'}
          value={metric}
          onChange={setMetric}
        />
      ) : null}
      {on === 'metric' ? (
        <>
          <Field label="Field" hint="The number in it that counts" required value={field} onChange={setField} />
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
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" busy={add.busy}>
          Add rule
        </Button>
      </div>
    </form>
  );
}
