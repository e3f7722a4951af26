import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { NameValueList } from '../../components/name-value-list.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCall } from '../../data/use-call.ts';
import styles from './settings.module.css';

/** Version and environment of the product, and a text about them for a report of a problem. */
export function AboutSection() {
  const { data: host, error } = useCall('host.get', {});
  if (host === null) return error === null ? <Skeleton /> : <ErrorNote error={error} />;
  const engines = host.engines.map(({ name, available }) => `${name} ${available ? 'yes' : 'no'}`).join(', ');
  const report = [
    `Bot Platform ${host.version}`,
    `Node ${host.node}, ${host.platform}`,
    `Engines: ${engines}`,
    `Browser: ${navigator.userAgent}`,
  ].join('\n');
  return (
    <>
      <Section title="About">
        <div className={styles.box}>
          <NameValueList
            rows={[
              ['Bot Platform', host.version],
              ['Node', host.node],
              ['Machine', host.platform],
              [
                'API',
                <a key="api" href="/api/v1/openapi.json" target="_blank" rel="noreferrer">
                  OpenAPI description
                </a>,
              ],
              ['Dashboard', 'Loads everything from this host, and sends nothing elsewhere.'],
            ]}
          />
        </div>
      </Section>
      <Section
        title="For a report"
        about={
          <>
            Holds no names, folders or keys. <code>npx platform doctor</code> finds more on the machine of the host.
          </>
        }
      >
        <CodeBlock text={report} label="Report" />
      </Section>
    </>
  );
}
