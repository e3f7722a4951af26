import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { InstallSheet } from '../../components/install-sheet.tsx';
import { SchemaTable } from '../../components/schema-form/schema-table.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCall } from '../../data/use-call.ts';
import styles from './custom-bot.module.css';
import type { CustomBotTab } from './tab-props.ts';

/** The settings of a version, as a table and as its schema. */
export function Settings({ version }: CustomBotTab) {
  const { data, error } = useCall('custom_bots.schema', { name: version.name, version: version.version });
  if (error !== null) return <ErrorNote error={error} />;
  if (data === null) return <Skeleton />;
  return (
    <div className={styles.stack}>
      <section aria-label="Permits" className={styles.part}>
        <h2>Permits</h2>
        <InstallSheet sheet={version.install_sheet} />
      </section>
      <h2>Settings</h2>
      <SchemaTable schema={data.schema} />
      <details className={styles.details}>
        <summary>The schema as JSON</summary>
        <CodeBlock label="schema" text={JSON.stringify(data.schema, null, 2)} />
      </details>
    </div>
  );
}
