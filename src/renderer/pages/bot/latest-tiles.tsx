import type { MetricOverview } from '../../../contract/telemetry.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { Tile, Tiles } from '../../components/tile.tsx';
import { Since } from '../../components/time.tsx';
import type { HostError } from '../../data/host-error.ts';
import { isOlder, type LatestValue, latestValues, newestAt } from './latest-values.ts';
import styles from './overview.module.css';

function sideClass(side: LatestValue['side']): string | undefined {
  return side === null ? undefined : side === 'buy' ? styles.buy : styles.sell;
}

/** The last signals and numbers of a bot; nothing for a bot without any. */
export function LatestTiles({
  overview,
  error,
}: {
  readonly overview: MetricOverview | null;
  readonly error: HostError | null;
}) {
  if (overview === null) return error === null ? null : <ErrorNote error={error} />;
  const values = latestValues(overview);
  const newest = newestAt(values);
  if (newest === null) return null;
  return (
    <Section
      title="Latest values"
      action={
        <span className={styles.dim}>
          newest <Since at={newest} /> ago
        </span>
      }
    >
      <Tiles label="Latest values">
        {values.map((one) => (
          <Tile key={one.id} name={one.name} isWide={one.note !== null} note={<Note of={one} newest={newest} />}>
            <span className={sideClass(one.side)}>{one.text}</span>
          </Tile>
        ))}
      </Tiles>
    </Section>
  );
}

function Note({ of, newest }: { readonly of: LatestValue; readonly newest: string }) {
  return (
    <>
      {of.note}
      {isOlder(of, newest) ? (
        <>
          {of.note === null ? null : ' · '}
          <Since at={of.at} /> ago
        </>
      ) : null}
    </>
  );
}
