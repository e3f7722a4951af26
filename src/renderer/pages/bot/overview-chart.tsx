import { Suspense } from 'react';
import { lazyPart } from '../../components/lazy-part.ts';
import type { MetricsStore } from '../../data/metrics/metrics-store.ts';
import type { TabProps } from './tab-props.ts';

const LiveChart = lazyPart(async () => (await import('./metrics/live-chart.tsx')).LiveChart);

/** The main chart of a bot: its newest series, live, with its signals. */
export function OverviewChart({ bot, store }: TabProps & { readonly store: MetricsStore }) {
  return (
    <Suspense fallback={null}>
      <LiveChart bot={bot} store={store} />
    </Suspense>
  );
}
