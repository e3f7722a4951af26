import { useId } from 'react';
import styles from './choice.module.css';

/** One of the answers of a Choice. */
export interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly about?: string;
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** `row`: words side by side; `list`: one below the other, with what each means. */
  readonly layout?: 'row' | 'list';
}

/** One of a few: radio buttons in the style of the page, so that arrow keys and forms work as usual. */
export function Choice<T extends string>({ label, options, value, onChange, layout = 'row' }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.legend}>{label}</legend>
      <div className={layout === 'row' ? styles.row : styles.list}>
        {options.map((option) => (
          <label key={option.value} className={styles.option}>
            <input
              type="radio"
              className={styles.radio}
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span className={styles.label}>{option.label}</span>
            {option.about === undefined ? null : <span className={styles.about}>{option.about}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
