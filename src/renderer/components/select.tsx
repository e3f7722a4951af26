import { type ReactNode, useId } from 'react';
import styles from './field.module.css';

/** A choice of few, with its hint. */
export function Select({
  label,
  hint,
  value,
  options,
  disabled = false,
  onChange,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string; readonly disabled?: boolean }[];
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={styles.input}
        value={value}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value} disabled={one.disabled === true}>
            {one.label}
          </option>
        ))}
      </select>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
