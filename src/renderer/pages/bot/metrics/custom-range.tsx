import { type FormEvent, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import type { Domain } from '../../../components/charts/chart-elements.ts';
import { fromInput, toInput, type Zone } from '../../../components/charts/time-labels.ts';
import { Field } from '../../../components/field.tsx';
import styles from './custom-range.module.css';

interface CustomRangeProps {
  /** The time that is shown: the form begins with it. */
  readonly domain: Domain;
  readonly zone: Zone;
  readonly onPick: (stretch: Domain) => void;
}

/** Any time to look at, by its first and last instant. */
export function CustomRange({ domain, zone, onPick }: CustomRangeProps) {
  const [from, setFrom] = useState(toInput(domain.from, zone));
  const [to, setTo] = useState(toInput(domain.to, zone));
  const [asked, setAsked] = useState(false);
  const stretch = { from: fromInput(from, zone), to: fromInput(to, zone) };
  const problem = Number.isNaN(stretch.from + stretch.to)
    ? 'Enter both times.'
    : stretch.to > stretch.from
      ? undefined
      : 'The end must be after the beginning.';
  const pick = (event: FormEvent): void => {
    event.preventDefault();
    setAsked(true);
    if (problem === undefined) onPick(stretch);
  };
  const clock = zone === 'UTC' ? 'UTC' : 'local time';
  return (
    <form className={styles.range} aria-label="Custom range" onSubmit={pick}>
      <Field label={`From, ${clock}`} type="datetime-local" step={1} value={from} onChange={setFrom} />
      <Field
        label={`To, ${clock}`}
        type="datetime-local"
        step={1}
        value={to}
        onChange={setTo}
        problem={asked ? problem : undefined}
      />
      <Button type="submit">Show</Button>
    </form>
  );
}
