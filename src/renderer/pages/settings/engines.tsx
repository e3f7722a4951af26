import { CircleCheck, CircleDashed } from 'lucide-react';
import type { EngineInfo } from '../../../contract/host.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import table from '../../components/table.module.css';
import { Table } from '../../components/table.tsx';
import { useCall } from '../../data/use-call.ts';
import { ImagesSection } from './images.tsx';
import { InterpretersSection } from './interpreters.tsx';
import { isolationAspectName } from './isolation-aspect-name.ts';
import { IsolationSign } from './isolation-sign.tsx';
import styles from './settings.module.css';

function Available({ engine }: { readonly engine: EngineInfo }) {
  return engine.available ? (
    <span className={styles.good}>
      <CircleCheck aria-hidden="true" /> Can be used
    </span>
  ) : (
    <span className={styles.bad}>
      <CircleDashed aria-hidden="true" /> Cannot be used now
    </span>
  );
}

function Engine({ engine }: { readonly engine: EngineInfo }) {
  const { title, about } = engine;
  return (
    <Section title={title} about={about} action={<Available engine={engine} />}>
      {engine.reason === null ? null : <p className={styles.note}>{engine.reason}</p>}
      {engine.isolation.length === 0 ? null : (
        <Table heads={['What', 'Isolation', 'That means']} tableClass={styles.isolation}>
          {engine.isolation.map(({ aspect, level, note }) => (
            <tr key={aspect}>
              <td className={table.line}>{isolationAspectName(aspect)}</td>
              <td data-head="Isolation">
                <IsolationSign of={level} />
              </td>
              <td className={`${table.dim} ${table.words}`} data-head="That means">
                {note}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

/** Engines of the host, with their isolation of bots. */
export function EnginesSection() {
  const host = useCall('host.get', {});
  if (host.data === null) return host.error === null ? <Skeleton rows={8} /> : <ErrorNote error={host.error} />;
  const { engines } = host.data;
  return (
    <>
      {engines.map((engine) => (
        <Engine key={engine.name} engine={engine} />
      ))}
      {engines.some(({ images, available }) => images && available) ? <ImagesSection /> : null}
      <InterpretersSection />
      <p className={styles.dim}>
        Each bot keeps the engine it was deployed with. New ones get the one that isolates most of those that run here,
        which is found out by itself, unless the host was started with <code>--engine</code>.
      </p>
    </>
  );
}
