import type { MetricOverview } from '../../../contract/telemetry.ts';
import type { Called } from '../../data/use-call.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Section } from '../../parts/section.tsx';
import { Tile, Tiles } from '../../parts/tile.tsx';
import { Since } from '../../parts/time.tsx';
import { type LatestValue, latestValues } from './latest-values.ts';
import styles from './overview.module.css';

function sideClass(side: LatestValue['side']): string | undefined {
  return side === null ? undefined : side === 'buy' ? styles.buy : styles.sell;
}

/** The last signals and numbers that a bot has emitted; nothing for one that emits none. */
export function LatestTiles({ metrics }: { readonly metrics: Called<MetricOverview> }) {
  if (metrics.data === null) return metrics.error === null ? null : <ErrorNote error={metrics.error} />;
  const values = latestValues(metrics.data);
  if (values.length === 0) return null;
  return (
    <Section title="Latest values">
      <Tiles label="Latest values">
        {values.map(({ id, name, text, note, at, side }) => (
          <Tile
            key={id}
            name={name}
            note={
              <>
                {note === null ? null : <>{note} · </>}
                <Since at={at} /> ago
              </>
            }
          >
            <span className={sideClass(side)}>{text}</span>
          </Tile>
        ))}
      </Tiles>
    </Section>
  );
}
