import { valueText } from '../../shared/json-schema.ts';
import styles from './config-differences.module.css';
import type { Difference } from './schema-form/config-change.ts';
import { STORED } from './schema-form/hide-and-restore-secrets.ts';

interface DifferencesProps {
  readonly of: readonly Difference[];
  /** Prefix of every path. */
  readonly root: string;
  /** Paths (as JSON) whose values are not shown. */
  readonly hidden?: ReadonlySet<string>;
}

function shown(value: unknown, hide: boolean): string {
  if (value === undefined) return 'not set';
  if (hide) return 'a new secret';
  return value === STORED ? 'the stored secret' : valueText(value);
}

/** Old and new values, setting by setting. */
export function Differences({ of, root, hidden }: DifferencesProps) {
  return (
    <DifferenceRows
      rows={of.map(({ path, before, after }) => ({
        path: [root, ...path].filter((part) => part !== '').join('.'),
        before: shown(before, false),
        after: shown(after, hidden?.has(JSON.stringify(path)) === true),
      }))}
    />
  );
}

interface DifferenceRow {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** What differs, with its values in words. */
export function DifferenceRows({ rows }: { readonly rows: readonly DifferenceRow[] }) {
  return (
    <ul className={styles.list}>
      {rows.map(({ path, before, after }) => (
        <li key={JSON.stringify([path, before, after])} className={styles.row}>
          <code className={styles.path}>{path}</code>
          <span className={styles.values}>
            <del className={styles.before}>
              <span className="visually-hidden">from </span>
              {before}
            </del>
            <span aria-hidden="true">→</span>
            <ins className={styles.after}>
              <span className="visually-hidden">to </span>
              {after}
            </ins>
          </span>
        </li>
      ))}
    </ul>
  );
}
