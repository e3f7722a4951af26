import { useCall } from '../../data/use-call.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/section.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import styles from './settings.module.css';

/** What this is, and what to say about it when something goes wrong. */
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
          <Facts
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
              ['Dashboard', 'Loads nothing but from this host, and tells nobody else anything.'],
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
