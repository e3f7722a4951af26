import { useId } from 'react';
import styles from './choice.module.css';

/** One of the answers of a Choice. */
export interface Option<T extends string> {
  readonly value: T;
  readonly word: string;
  readonly about?: string;
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** `row`: words side by side; `list`: one below the other, with what each means. */
  readonly look?: 'row' | 'list';
}

/** One of a few: radio buttons with the look of the page, so that arrow keys and forms work as ever. */
export function Choice<T extends string>({ label, options, value, onChange, look = 'row' }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.legend}>{label}</legend>
      <div className={look === 'row' ? styles.row : styles.list}>
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
            <span className={styles.word}>{option.word}</span>
            {option.about === undefined ? null : <span className={styles.about}>{option.about}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
