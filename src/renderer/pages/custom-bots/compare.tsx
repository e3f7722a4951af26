import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { sameSchema, schemaChanges } from '../../../shared/schema-changes.ts';
import { Differences } from '../../components/config-differences.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { differences } from '../../components/schema-form/config-change.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCall } from '../../data/use-call.ts';
import { CHANGE_KINDS } from './change-kinds.ts';
import styles from './custom-bot.module.css';
import { FileChanges } from './file-changes.tsx';
import type { CustomBotTab } from './tab-props.ts';

/** The differences between two versions: their settings and their bot-config.yaml. */
export function Compare({ summary, version }: CustomBotTab) {
  const { name, versions } = summary;
  const asked = new URLSearchParams(useSearch());
  const [, go] = useLocation();
  const to = asked.get('to') ?? version.version;
  const from = asked.get('from') ?? versions[versions.indexOf(to) + 1] ?? versions.find((one) => one !== to) ?? to;
  const choose = (a: string, b: string): void =>
    go(`/custom-bots/${name}/compare?from=${a}&to=${b}`, { replace: true });
  const before = useCall('custom_bots.get', { name, version: from });
  const after = useCall('custom_bots.get', { name, version: to });
  const oldSchema = useCall('custom_bots.schema', { name, version: from });
  const newSchema = useCall('custom_bots.schema', { name, version: to });
  const error = before.error ?? after.error ?? oldSchema.error ?? newSchema.error;
  const schemas =
    oldSchema.data === null || newSchema.data === null
      ? null
      : ([oldSchema.data.schema, newSchema.data.schema] as const);
  const settings = useMemo(() => (schemas === null ? null : schemaChanges(...schemas)), [schemas]);
  const files = before.data === null || after.data === null ? null : differences(before.data.config, after.data.config);
  if (versions.length < 2) return <p className={styles.dim}>There is one version only; nothing to compare it with.</p>;
  return (
    <div className={styles.stack}>
      <div className={styles.bar}>
        <Pick label="From" value={from} versions={versions} onChange={(next) => choose(next, to)} />
        <Pick label="to" value={to} versions={versions} onChange={(next) => choose(from, next)} />
      </div>
      {error === null ? null : <ErrorNote error={error} />}
      {settings === null || schemas === null || files === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : (
        <>
          <section className={styles.part}>
            <h2>Settings</h2>
            {settings.length > 0 ? (
              <ul className={styles.changes}>
                {settings.map((one) => (
                  <li key={one.name} data-kind={one.kind}>
                    <span className={styles.kind}>{CHANGE_KINDS[one.kind]}</span>
                    <code>{one.name}</code>
                    <span className={styles.dim}>{one.what.join('; ')}</span>
                  </li>
                ))}
              </ul>
            ) : (
              <p className={styles.dim}>
                {sameSchema(...schemas) ? 'No difference.' : 'The same settings; their schema is written differently.'}
              </p>
            )}
          </section>
          <section className={styles.part}>
            <h2>bot-config.yaml</h2>
            {files.length > 0 ? <Differences of={files} root="" /> : <p className={styles.dim}>No difference.</p>}
          </section>
          <FileChanges name={name} from={from} to={to} />
        </>
      )}
    </div>
  );
}

interface PickProps {
  readonly label: string;
  readonly value: string;
  readonly versions: readonly string[];
  readonly onChange: (value: string) => void;
}

function Pick({ label, value, versions, onChange }: PickProps) {
  return (
    <label className={styles.inline}>
      {label}
      <select className={styles.select} value={value} onChange={({ target }) => onChange(target.value)}>
        {versions.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}
