import { type InputHTMLAttributes, useId } from 'react';
import styles from './field.module.css';

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  /** The value's problem. */
  readonly problem?: string | undefined;
}

/** A labelled text input with its hint and problem. */
export function Field({ label, value, onChange, hint, problem, ...rest }: FieldProps) {
  const id = useId();
  const about = problem ?? hint;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        className={styles.input}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={problem !== undefined}
        aria-describedby={about === undefined ? undefined : `${id}-about`}
      />
      {about === undefined ? null : (
        <p id={`${id}-about`} className={problem === undefined ? styles.hint : styles.problem}>
          {about}
        </p>
      )}
    </div>
  );
}
