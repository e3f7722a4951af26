import { lazy, Suspense } from 'react';
import type { TabProps } from './bot-page.tsx';

const LiveChart = lazy(async () => ({ default: (await import('./metrics/live-chart.tsx')).LiveChart }));

/** The main chart of a bot: its newest series, live, with its signals. */
export function OverviewChart({ bot }: TabProps) {
  return (
    <Suspense fallback={null}>
      <LiveChart bot={bot} />
    </Suspense>
  );
}
