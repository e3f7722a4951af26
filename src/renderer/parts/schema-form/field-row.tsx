import { RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Trouble } from './check.ts';
import { ruleList, type Schema, valueText } from './schema.ts';
import styles from './schema-form.module.css';

interface FieldRowProps {
  readonly id: string;
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** Set by the person, and not left to the default. */
  readonly isSet: boolean;
  readonly problems: readonly Trouble[];
  /** Takes the value away: the default holds again. */
  readonly onReset: (() => void) | null;
  /** A group of controls has no single control to label. */
  readonly group?: boolean;
  readonly children: ReactNode;
}

/** One setting: its name, what it may be, its control, what it means and what is wrong with it. */
export function FieldRow({
  id,
  name,
  schema,
  required,
  isSet,
  problems,
  onReset,
  group = false,
  children,
}: FieldRowProps) {
  const title = typeof schema.title === 'string' ? schema.title : null;
  const about = typeof schema.description === 'string' ? schema.description : null;
  const facts = [
    ...ruleList(schema),
    ...('default' in schema && typeof schema.default !== 'object' ? [`default ${valueText(schema.default)}`] : []),
  ];
  const label = (
    <>
      {title === null ? null : <>{title} </>}
      <code className={title === null ? styles.key : styles.keyAside}>{name}</code>
      {required ? <span className={styles.required}>required</span> : null}
    </>
  );
  return (
    <div className={styles.row} data-problem={problems.length > 0 ? '' : undefined} data-set={isSet ? '' : undefined}>
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
        <span className={styles.facts}>{facts.join(' · ')}</span>
        {isSet && onReset !== null ? (
          <button
            type="button"
            className={styles.reset}
            onClick={onReset}
            title={'default' in schema ? 'Back to the default' : 'Leave it out'}
            aria-label={`${name}: ${'default' in schema ? 'back to the default' : 'leave it out'}`}
          >
            <RotateCcw aria-hidden="true" />
          </button>
        ) : null}
      </div>
      {children}
      {about === null ? null : (
        <p id={`${id}-about`} className={styles.about}>
          {about}
        </p>
      )}
      {problems.map((one) => (
        <Problem key={one.message} id={`${id}-problem`} problem={one} about={about} />
      ))}
    </div>
  );
}

function Problem({
  id,
  problem,
  about,
}: {
  readonly id: string;
  readonly problem: Trouble;
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
