import { useMemo } from 'react';
import { isJsonObject } from '../../../isomorphic/json.ts';
import { checkConfig, type Trouble, unnamedKeys } from './check.ts';
import { JsonControl } from './json-control.tsx';
import type { Schema } from './schema.ts';
import styles from './schema-form.module.css';
import { type Path, withValue } from './value.ts';
import { type FormScope, ObjectFields } from './value-field.tsx';

interface SchemaFormProps {
  readonly schema: Schema;
  readonly value: Record<string, unknown>;
  readonly onChange: (value: Record<string, unknown>) => void;
  /** The config as it is stored, with `********` for its secrets; null for one that is new. */
  readonly stored?: Record<string, unknown> | null;
  /** What the host says; it stands until the value changes. */
  readonly told?: readonly Trouble[];
  readonly disabled?: boolean;
}

const isObject = (value: unknown): string | null => (isJsonObject(value) ? null : 'A config is a JSON object: {"setting": value}');

/** Everything that is wrong with a config: what is seen at once, and what the host has said beyond that. */
export function useProblems(schema: Schema, value: unknown, told: readonly Trouble[] = []): readonly Trouble[] {
  return useMemo(() => {
    const seen = checkConfig(schema, value);
    return [...seen, ...told.filter((one) => !seen.some(({ path, message }) => path === one.path && message === one.message))];
  }, [schema, value, told]);
}

/** A config as a form and as JSON, side by side on the same value. */
export function SchemaForm({ schema, value, onChange, stored = null, told = [], disabled = false }: SchemaFormProps) {
  const problems = useProblems(schema, value, told);
  const unnamed = useMemo(() => new Set(unnamedKeys(schema, value).map((path) => JSON.stringify(path))), [schema, value]);
  // Two changes of one event must both count.
  let current = value;
  const set = (path: Path, next: unknown): void => {
    const changed = withValue(current, path, next);
    current = isJsonObject(changed) ? changed : {};
    onChange(current);
  };
  const scope: FormScope = { root: schema, value, stored, problems, unnamed, disabled, set };
  const rows = Math.min(28, Math.max(10, JSON.stringify(value, null, 2).split('\n').length + 1));
  const isEmpty = !isJsonObject(schema.properties) && !isJsonObject(schema.additionalProperties);
  return (
    <div className={styles.form}>
      <div className={styles.fields}>
        {isEmpty && Object.keys(value).length === 0 ? (
          <p className={styles.about}>This bot has no settings.</p>
        ) : (
          <ObjectFields scope={scope} schema={schema} path={[]} secret={false} />
        )}
      </div>
      <div className={styles.side}>
        <p className={styles.sideTitle}>JSON</p>
        <JsonControl
          label="Config as JSON"
          value={value}
          onChange={(next) => onChange(isJsonObject(next) ? next : {})}
          refuse={isObject}
          rows={rows}
          disabled={disabled}
          wrong={problems.length > 0}
        />
      </div>
    </div>
  );
}
