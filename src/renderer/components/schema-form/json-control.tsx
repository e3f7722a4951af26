import { useEffect, useId, useRef, useState } from 'react';
import styles from './schema-form.module.css';

interface JsonControlProps {
  readonly id?: string;
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly rows?: number;
  readonly disabled: boolean;
  /** Refuses valid JSON that cannot be used; null when it can. */
  readonly refuse?: (value: unknown) => string | null;
  readonly wrong?: boolean;
}

const written = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** A parser's message without its jargon. */
function fault(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const at = /position (\d+)/.exec(message)?.[1];
  if (at === undefined) return 'Not valid JSON yet: it ends too early';
  const line = text.slice(0, Number(at)).split('\n').length;
  return `Not valid JSON yet: look at line ${line}`;
}

/** A value as JSON text. Typed text counts as soon as it is valid; a value from elsewhere replaces it. */
export function JsonControl({
  id,
  label,
  value,
  onChange,
  rows = 6,
  disabled,
  refuse,
  wrong = false,
}: JsonControlProps) {
  const own = useId();
  const fieldId = id ?? own;
  const [text, setText] = useState(written(value));
  const [problem, setProblem] = useState<string | null>(null);
  const typing = useRef(false);
  const key = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the value
  useEffect(() => {
    // Text being typed is not reformatted.
    if (typing.current) return;
    setText(written(value));
    setProblem(null);
  }, [key]);
  const leave = (): void => {
    typing.current = false;
    if (problem === null) setText(written(value));
  };
  const type = (typed: string): void => {
    typing.current = true;
    setText(typed);
    if (typed.trim() === '') {
      setProblem(null);
      onChange(undefined);
      return;
    }
    try {
      const parsed: unknown = JSON.parse(typed);
      const refused = refuse?.(parsed) ?? null;
      setProblem(refused);
      if (refused !== null) return;
      onChange(parsed);
    } catch (error) {
      setProblem(fault(error, typed));
    }
  };
  return (
    <div className={styles.json}>
      <textarea
        id={fieldId}
        className={styles.text}
        aria-label={id === undefined ? label : undefined}
        rows={rows}
        placeholder="JSON"
        value={text}
        spellCheck={false}
        autoComplete="off"
        disabled={disabled}
        aria-invalid={problem !== null || wrong}
        aria-describedby={problem === null ? undefined : `${fieldId}-fault`}
        onChange={({ target }) => type(target.value)}
        onBlur={leave}
      />
      {problem === null ? null : (
        <p id={`${fieldId}-fault`} className={styles.problem}>
          {problem}
        </p>
      )}
    </div>
  );
}
