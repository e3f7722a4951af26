import styles from './toolbar.module.css';

interface Option<T extends string> {
  readonly value: T | null;
  readonly label: string;
  readonly title?: string;
}

interface ToggleRowProps<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly value: T | null;
  readonly onChange: (value: T | null) => void;
}

/** One of a few, each always in sight. */
export function SegmentedChoice<T extends string>({ label, options, value, onChange }: ToggleRowProps<T>) {
  return (
    <fieldset className={styles.choice} aria-label={label}>
      {options.map((option) => (
        <button
          key={option.label}
          type="button"
          title={option.title}
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
