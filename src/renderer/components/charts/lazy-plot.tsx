import { Suspense } from 'react';
import { lazyPart } from '../lazy-part.ts';
import type { PlotProps } from './plot.tsx';

const Plot = lazyPart(async () => (await import('./plot.tsx')).Plot);

/** The plot with its library, which comes when the first chart is shown; its room is kept until then. */
export function LazyPlot(props: PlotProps) {
  return (
    <Suspense fallback={<div style={{ height: props.height }} />}>
      <Plot {...props} />
    </Suspense>
  );
}
