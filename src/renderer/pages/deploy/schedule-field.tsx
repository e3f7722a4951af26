import { useId } from 'react';
import { Field } from '../../components/field.tsx';
import { useNow } from '../../components/time.tsx';
import styles from './deploy.module.css';
import { planOf } from './draft.ts';

interface ScheduleFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Problem that the host has found in the schedule. */
  readonly told: string | undefined;
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['*/5 * * * *', 'Every 5 minutes'],
  ['0 * * * *', 'Every hour'],
  ['0 9 * * *', 'Every day at 9'],
  ['0 14 * * 1-5', 'Weekdays at 14'],
];

const MINUTE_MS = 60_000;
const written = (at: number, timeZone?: string): string => {
  const zone = timeZone === undefined ? {} : { timeZone };
  const day: Intl.DateTimeFormatOptions = { weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' };
  const date = new Date(at);
  return `${date.toLocaleDateString('en-CA', { ...day, ...zone })} ${date.toLocaleTimeString('sv-SE', { hour: '2-digit', minute: '2-digit', ...zone })}`;
};

/** The schedule of a bot: the expression, its meaning, and its next times. */
export function ScheduleField({ value, onChange, told }: ScheduleFieldProps) {
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const plan = value.trim() === '' ? null : planOf(value, now);
  const seen = plan !== null && 'problem' in plan ? [plan.problem, plan.hint].filter(Boolean).join('. ') : undefined;
  const id = useId();
  return (
    <div className={styles.schedule}>
      <Field
        label="Schedule"
        value={value}
        onChange={onChange}
        problem={seen ?? told}
        hint="Five fields in UTC: minute, hour, day of month, month, day of week"
        spellCheck={false}
        required
      />
      <div className={styles.examples}>
        {EXAMPLES.map(([expression, words]) => (
          <button
            key={expression}
            type="button"
            className={styles.example}
            aria-pressed={value === expression}
            onClick={() => onChange(expression)}
          >
            {words}
          </button>
        ))}
      </div>
      {plan !== null && 'words' in plan ? (
        <div aria-live="polite">
          <p className={styles.words}>Runs {plan.words}</p>
          <table className={styles.times} aria-labelledby={id}>
            <caption id={id} className="visually-hidden">
              Next times
            </caption>
            <thead>
              <tr>
                <th>Next in UTC</th>
                <th>Here, {Intl.DateTimeFormat().resolvedOptions().timeZone}</th>
              </tr>
            </thead>
            <tbody>
              {plan.times.map((at) => (
                <tr key={at}>
                  <td>{written(at, 'UTC')}</td>
                  <td>{written(at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </div>
  );
}
