import { RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { choicesOf, ruleList, type Schema, valueText } from '../../../shared/json-schema.ts';
import type { FieldProblem } from './check-config.ts';
import styles from './schema-form.module.css';

interface FieldRowProps {
  readonly id: string;
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly problems: readonly FieldProblem[];
  /** Takes the value away, so that the default holds again; null where there is nothing to take away. */
  readonly onReset: (() => void) | null;
  /** Takes the entry away that the person has added; null for what the schema names. */
  readonly onRemove: (() => void) | null;
  readonly disabled: boolean;
  /** A group of controls has no single control to label. */
  readonly group: boolean;
  readonly children: ReactNode;
}

/** One setting: its name, description, control and problem. */
export function FieldRow(props: FieldRowProps) {
  const { id, name, schema, required, problems, group, children } = props;
  const title = typeof schema.title === 'string' ? schema.title : null;
  const about = typeof schema.description === 'string' ? schema.description : null;
  const label = (
    <>
      {title === null ? null : <>{title} </>}
      <code className={title === null ? styles.key : styles.keyAside}>{name}</code>
      {required ? <span className={styles.required}>required</span> : null}
    </>
  );
  const meaning = <Meaning id={id} schema={schema} about={about} />;
  return (
    <div className={styles.row} data-field={name} data-problem={problems.length > 0 ? '' : undefined}>
      <div className={styles.head}>
        {group ? (
          <span id={`${id}-label`} className={styles.label}>
            {label}
          </span>
        ) : (
          <label htmlFor={id} className={styles.label}>
            {label}
          </label>
        )}
        <Tools {...props} />
      </div>
      {group ? meaning : null}
      {children}
      {group ? null : meaning}
      {problems.map((one) => (
        <Problem key={one.message} id={`${id}-problem`} problem={one} about={about} />
      ))}
    </div>
  );
}

function Tools({ name, schema, onReset, onRemove, disabled }: FieldRowProps) {
  const label = 'default' in schema ? 'back to the default' : 'leave it out';
  if (disabled) return null;
  if (onRemove !== null) {
    return (
      <button type="button" className={styles.reset} onClick={onRemove} title="Remove" aria-label={`Remove ${name}`}>
        <Trash2 aria-hidden="true" />
      </button>
    );
  }
  if (onReset === null) return null;
  return (
    <button type="button" className={styles.reset} onClick={onReset} title={label} aria-label={`${name}: ${label}`}>
      <RotateCcw aria-hidden="true" />
    </button>
  );
}

/** Description and rules of a setting, in one line. */
function Meaning({
  id,
  schema,
  about,
}: {
  readonly id: string;
  readonly schema: Schema;
  readonly about: string | null;
}) {
  const facts = [
    ...ruleList(schema),
    ...('default' in schema && typeof schema.default !== 'object' && choicesOf(schema) === null
      ? [`default ${valueText(schema.default)}`]
      : []),
  ].join(', ');
  if (about === null && facts === '') return null;
  return (
    <p id={`${id}-about`} className={styles.about}>
      {about === null ? null : <>{/[.!?]$/.test(about) ? about : `${about}.`} </>}
      {facts === '' ? null : `${facts.charAt(0).toUpperCase()}${facts.slice(1)}.`}
    </p>
  );
}

function Problem({
  id,
  problem,
  about,
}: {
  readonly id: string;
  readonly problem: FieldProblem;
  readonly about: string | null;
}) {
  // The host repeats the description as a hint; it stands above already.
  const hint = about !== null && problem.hint?.endsWith(about) === true ? undefined : problem.hint;
  return (
    <p id={id} className={styles.problem}>
      {problem.message}
      {hint === undefined ? null : <span> {hint}</span>}
    </p>
  );
}
