import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import type { AuditChoice } from '../../data/audit-trail.ts';
import { useFleet } from '../../data/fleet.ts';
import { useCall } from '../../data/use-call.ts';
import styles from './audit-filters.module.css';

const TIMES = [
  { value: '', label: 'Any time' },
  { value: '-1h', label: 'Last hour' },
  { value: '-1d', label: 'Last 24 hours' },
  { value: '-7d', label: 'Last 7 days' },
  { value: '-30d', label: 'Last 30 days' },
];
const ANYBODY = [
  { value: '', label: 'No assistants' },
  { value: 'person', label: 'You, without a key' },
  { value: 'assistant', label: 'Assistants' },
];

interface AuditFiltersProps {
  readonly onChoose: (choice: AuditChoice) => void;
}

/** Chooses entries of the audit trail by who did what to which bot, and when. */
export function AuditFilters({ onChoose }: AuditFiltersProps) {
  const { data: keys } = useCall('keys.list', {});
  const bots = useFleet((fleet) => fleet.bots);
  const [by, setBy] = useState('');
  const [bot, setBot] = useState('');
  const [action, setAction] = useState('');
  const [range, setRange] = useState('');
  const names = [...(bots?.values() ?? [])].map(({ name }) => name);
  const given = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());
  return (
    <form
      className={styles.filters}
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose({ by: given(by), bot: given(bot), action: given(action), date_range: given(range) });
      }}
    >
      <Select
        label="Who"
        value={by}
        onChange={setBy}
        options={[
          ...ANYBODY,
          ...(keys?.items ?? []).map(({ key_id, name }) => ({ value: key_id, label: `Key ${name}` })),
        ]}
      />
      <Field label="Bot" value={bot} onChange={setBot} list="audit-bots" placeholder="Name or id" />
      <datalist id="audit-bots">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="Action" value={action} onChange={setAction} placeholder="Any, such as delete" />
      <Select label="Time" value={range} onChange={setRange} options={TIMES} />
      <Button type="submit">Show</Button>
    </form>
  );
}
