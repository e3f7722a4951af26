import type { TabProps } from './bot-page.tsx';

/** Where the overview shows the main chart of a bot. Nothing until the charts of the Metrics tab are there. */
export function OverviewChart(_: TabProps) {
  return null;
}
