import { Plus, X } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import styles from './query.module.css';
import type { ParamRow } from './query-form.ts';

interface RowsProps {
  readonly rows: readonly ParamRow[];
  readonly problems: ReadonlyMap<number, string> | null;
  readonly onChange: (rows: readonly ParamRow[]) => void;
}

/** Parameters as rows of name and value; a new row is a text, because most handlers take texts. */
export function ParamRows({ rows, problems, onChange }: RowsProps) {
  const set = (id: number, change: Partial<ParamRow>): void =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...change } : row)));
  const add = (): void =>
    onChange([...rows, { id: Math.max(0, ...rows.map((row) => row.id)) + 1, name: '', value: '', kind: 'text' }]);
  return (
    <fieldset className={styles.params}>
      <legend>Parameters</legend>
      {rows.map((row, index) => {
        const problem = problems?.get(row.id);
        return (
          <div key={row.id} className={styles.param}>
            <input
              className={styles.input}
              aria-label={`Name of parameter ${index + 1}`}
              placeholder="name"
              value={row.name}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => set(row.id, { name: event.target.value })}
            />
            <input
              className={styles.input}
              aria-label={`Value of parameter ${index + 1}`}
              placeholder={row.kind === 'JSON' ? '[1, 2]' : 'value'}
              value={row.value}
              spellCheck={false}
              autoComplete="off"
              aria-invalid={problem !== undefined}
              onChange={(event) => set(row.id, { value: event.target.value })}
            />
            <select
              className={styles.input}
              aria-label={`Kind of parameter ${index + 1}`}
              value={row.kind}
              onChange={(event) => set(row.id, { kind: event.target.value === 'JSON' ? 'JSON' : 'text' })}
            >
              <option value="text">text</option>
              <option value="JSON">JSON</option>
            </select>
            <button
              type="button"
              className={styles.remove}
              aria-label={`Remove parameter ${index + 1}`}
              title="Remove"
              onClick={() => onChange(rows.filter((one) => one.id !== row.id))}
            >
              <X aria-hidden="true" />
            </button>
            {problem === undefined ? null : (
              <p className={styles.problem} role="alert">
                {problem}
              </p>
            )}
          </div>
        );
      })}
      <Button kind="quiet" icon={<Plus aria-hidden="true" />} onClick={add}>
        Add parameter
      </Button>
    </fieldset>
  );
}
