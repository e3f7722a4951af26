import { useId } from 'react';
import { DEFAULT_TIMEZONE } from '../../../shared/schedule.ts';
import { Field } from '../../components/field.tsx';
import { useNow } from '../../components/time.tsx';
import styles from './deploy.module.css';
import { planOf } from './draft.ts';

interface ScheduleFieldProps {
  readonly value: string;
  /** Time zone by whose clock it runs. */
  readonly timezone: string;
  readonly onChange: (value: string) => void;
  readonly onTimezone: (timezone: string) => void;
  /** Problems that the host has found. */
  readonly told: string | undefined;
  readonly toldTimezone: string | undefined;
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['*/5 * * * *', 'Every 5 minutes'],
  ['0 * * * *', 'Every hour'],
  ['0 9 * * *', 'Every day at 9'],
  ['0 14 * * 1-5', 'Weekdays at 14'],
];

const MINUTE_MS = 60_000;
const here = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
const written = (at: number, timeZone: string): string => {
  const zone = { timeZone };
  const day: Intl.DateTimeFormatOptions = { weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' };
  const date = new Date(at);
  return `${date.toLocaleDateString('en-CA', { ...day, ...zone })} ${date.toLocaleTimeString('sv-SE', { hour: '2-digit', minute: '2-digit', ...zone })}`;
};

/** The schedule of a bot: the expression, its time zone, its meaning, and its next times. */
export function ScheduleField({ value, timezone, onChange, onTimezone, told, toldTimezone }: ScheduleFieldProps) {
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const plan = value.trim() === '' ? null : planOf(value, timezone, now);
  const seen = (field: 'schedule' | 'timezone'): string | undefined =>
    plan !== null && 'problem' in plan && plan.field === field
      ? [plan.problem, plan.hint].filter(Boolean).join('. ')
      : undefined;
  const id = useId();
  const local = here();
  const second = timezone === local ? DEFAULT_TIMEZONE : local;
  return (
    <div className={styles.schedule}>
      <Field
        label="Schedule"
        value={value}
        onChange={onChange}
        problem={seen('schedule') ?? told}
        hint="Five fields: minute, hour, day of month, month, day of week"
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
      <div className={styles.zone}>
        <Field
          label="Time zone"
          value={timezone}
          onChange={onTimezone}
          problem={seen('timezone') ?? toldTimezone}
          hint="By its clock, also where that is set to summer time"
          list={`${id}-zones`}
          autoComplete="off"
          spellCheck={false}
          required
        />
        <datalist id={`${id}-zones`}>
          {[DEFAULT_TIMEZONE, ...Intl.supportedValuesOf('timeZone')].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      <div className={styles.examples}>
        {[...new Set([DEFAULT_TIMEZONE, local])].map((zone) => (
          <button
            key={zone}
            type="button"
            className={styles.example}
            aria-pressed={timezone === zone}
            onClick={() => onTimezone(zone)}
          >
            {zone === DEFAULT_TIMEZONE ? zone : `Here, ${zone}`}
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
                <th>Next in {timezone}</th>
                {second === timezone ? null : <th>{second === local ? `Here, ${local}` : second}</th>}
              </tr>
            </thead>
            <tbody>
              {plan.times.map((at) => (
                <tr key={at}>
                  <td>{written(at, timezone)}</td>
                  {second === timezone ? null : <td>{written(at, second)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </div>
  );
}
