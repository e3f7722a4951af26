import { useRef } from 'react';
import { useSmallSeries } from '../../data/metrics/sparklines.ts';
import { Sparkline } from '../../parts/sparkline.tsx';

/** The newest of what a bot measures, in small. */
export function MetricCell({ botId }: { readonly botId: string }) {
  const cell = useRef<HTMLTableCellElement>(null);
  const small = useSmallSeries(botId, cell);
  return <td ref={cell}>{small === null ? null : <Sparkline {...small} />}</td>;
}
