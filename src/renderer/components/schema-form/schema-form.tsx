import { useMemo } from 'react';
import { isJsonObject } from '../../../shared/json.ts';
import type { Schema } from '../../../shared/json-schema.ts';
import { checkConfig, type FieldProblem, unnamedKeys } from './check-config.ts';
import { hideSecrets, withHidden } from './hide-and-restore-secrets.ts';
import { JsonControl } from './json-control.tsx';
import styles from './schema-form.module.css';
import { type Path, withValue } from './value-at-path.ts';
import { type FormScope, ObjectFields } from './value-field.tsx';

interface SchemaFormProps {
  readonly schema: Schema;
  readonly value: Record<string, unknown>;
  readonly onChange: (value: Record<string, unknown>) => void;
  /** The config as it is stored, with `********` for its secrets; null for one that is new. */
  readonly stored?: Record<string, unknown> | null;
  /** Problems that the host has found; they stand until the value changes. */
  readonly told?: readonly FieldProblem[];
  readonly disabled?: boolean;
  /** Hides problems of merely missing values. */
  readonly quiet?: boolean;
}

const NONE: readonly FieldProblem[] = [];
const isObject = (value: unknown): string | null =>
  isJsonObject(value) ? null : 'A config is a JSON object: {"setting": value}';

/** Returns all problems of a config: those found here, and the further ones of the host. */
export function useProblems(
  schema: Schema,
  value: unknown,
  told: readonly FieldProblem[] = NONE,
): readonly FieldProblem[] {
  return useMemo(() => {
    const seen = checkConfig(schema, value);
    return [
      ...seen,
      ...told.filter((one) => !seen.some(({ path, message }) => path === one.path && message === one.message)),
    ];
  }, [schema, value, told]);
}

/** Returns the values and functions that the fields of a form share. */
function useScope(
  { schema, value, onChange, stored = null, disabled = false }: SchemaFormProps,
  problems: readonly FieldProblem[],
): FormScope {
  const unnamed = useMemo(
    () => new Set(unnamedKeys(schema, value).map((path) => JSON.stringify(path))),
    [schema, value],
  );
  // Two changes of one event must both count.
  let current = value;
  const set = (path: Path, next: unknown): void => {
    const changed = withValue(current, path, next);
    current = isJsonObject(changed) ? changed : {};
    onChange(current);
  };
  return { root: schema, value, stored, problems, unnamed, disabled, set };
}

/** Before the first attempt to send, an empty field is no mistake. */
function shownProblems(all: readonly FieldProblem[], quiet: boolean): readonly FieldProblem[] {
  return quiet ? all.filter((one) => one.message !== 'is required') : all;
}

/** The fields of a form alone. */
export function SchemaFields(props: SchemaFormProps) {
  const problems = shownProblems(useProblems(props.schema, props.value, props.told), props.quiet === true);
  const scope = useScope(props, problems);
  return (
    <div className={`${styles.fields} ${styles.many}`}>
      <ObjectFields scope={scope} schema={props.schema} path={[]} secret={false} />
    </div>
  );
}

/** A config as a form and as JSON, side by side on the same value. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, value, onChange, told, disabled = false, quiet = false } = props;
  const problems = shownProblems(useProblems(schema, value, told), quiet);
  const scope = useScope(props, problems);
  const shown = useMemo(() => hideSecrets(schema, value), [schema, value]);
  const rows = Math.min(28, Math.max(8, JSON.stringify(value, null, 2).split('\n').length + 1));
  const isEmpty = !isJsonObject(schema.properties) && !isJsonObject(schema.additionalProperties);
  const whole = problems.filter((one) => one.path === 'config');
  return (
    <div className={styles.form}>
      <div className={styles.fields}>
        {whole.map((one) => (
          <p key={one.message} className={styles.problem}>
            {one.message}
            {one.hint === undefined ? null : <span> {one.hint}</span>}
          </p>
        ))}
        {isEmpty && Object.keys(value).length === 0 ? (
          <p className={styles.about}>This bot has no settings.</p>
        ) : (
          <ObjectFields scope={scope} schema={schema} path={[]} secret={false} />
        )}
      </div>
      <div className={styles.side}>
        <p className={styles.sideTitle}>The same as JSON</p>
        <JsonControl
          label="Config as JSON"
          value={shown}
          onChange={(next) => {
            const whole = withHidden(next, value);
            onChange(isJsonObject(whole) ? whole : {});
          }}
          refuse={isObject}
          rows={rows}
          disabled={disabled}
          wrong={problems.length > 0}
        />
      </div>
    </div>
  );
}
