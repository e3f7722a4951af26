import { Suspense } from 'react';
import type { MetricsStore } from '../../data/metrics/metrics-store.ts';
import { lazyPart } from '../../parts/lazy-part.ts';
import type { TabProps } from './bot-page.tsx';

const LiveChart = lazyPart(async () => (await import('./metrics/live-chart.tsx')).LiveChart);

/** The main chart of a bot: its newest series, live, with its signals. */
export function OverviewChart({ bot, store }: TabProps & { readonly store: MetricsStore }) {
  return (
    <Suspense fallback={null}>
      <LiveChart bot={bot} store={store} />
    </Suspense>
  );
}
