import { LockKeyhole } from 'lucide-react';
import { useMemo } from 'react';
import type { Schema } from '../../../shared/json-schema.ts';
import { schemaRows } from '../../../shared/schema-rows.ts';
import styles from './schema-table.module.css';

/** The settings of a bot, to be read. */
export function SchemaTable({ schema }: { readonly schema: Schema }) {
  const rows = useMemo(() => schemaRows(schema), [schema]);
  if (rows.length === 0) return <p className={styles.dim}>This version has no settings.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Settings">
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Setting</th>
            <th>Value</th>
            <th>Default</th>
            <th>Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td style={{ paddingLeft: `${0.9 + row.depth * 1.1}rem` }}>
                <code className={styles.name}>{row.name}</code>
                {row.required ? <span className={styles.tag}>required</span> : null}
                {row.secret ? (
                  <span className={styles.tag}>
                    <LockKeyhole aria-hidden="true" /> secret
                  </span>
                ) : null}
              </td>
              <td>
                {row.type}
                {row.rules.map((rule) => (
                  <span key={rule} className={styles.rule}>
                    {rule}
                  </span>
                ))}
              </td>
              <td>{row.default === null ? null : <code className={styles.default}>{row.default}</code>}</td>
              <td className={styles.dim}>{row.description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
