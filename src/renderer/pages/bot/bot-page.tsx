import { type ComponentType, type RefObject, Suspense } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { useHereInSight } from '../../components/use-scroll-into-view.ts';
import { useFleet } from '../../data/fleet.ts';
import { useViewDocument } from '../../data/use-view-document.ts';
import { BotHead } from './bot-head.tsx';
import styles from './bot-page.module.css';
import type { TabProps } from './tab-props.ts';

interface Tab {
  readonly id: string;
  readonly label: string;
  readonly show: ComponentType<TabProps>;
}

/** The screen that a version brings along; there is a tab only where it does. */
const VIEW: Tab = {
  id: 'view',
  label: 'View',
  show: lazyPart(async () => (await import('./view/view-tab.tsx')).View),
};

const TABS: readonly Tab[] = [
  VIEW,
  {
    id: 'overview',
    label: 'Overview',
    show: lazyPart(async () => (await import('./overview.tsx')).Overview),
  },
  { id: 'logs', label: 'Logs', show: lazyPart(async () => (await import('./logs/logs-tab.tsx')).LogsTab) },
  {
    id: 'metrics',
    label: 'Metrics',
    show: lazyPart(async () => (await import('./metrics/metrics.tsx')).Metrics),
  },
  {
    id: 'ledger',
    label: 'Ledger',
    show: lazyPart(async () => (await import('./ledger/ledger-tab.tsx')).LedgerTab),
  },
  { id: 'state', label: 'State', show: lazyPart(async () => (await import('./state.tsx')).State) },
  { id: 'query', label: 'Query', show: lazyPart(async () => (await import('./query.tsx')).Query) },
  { id: 'runs', label: 'Runs', show: lazyPart(async () => (await import('./runs.tsx')).Runs) },
  { id: 'config', label: 'Config', show: lazyPart(async () => (await import('./config/config.tsx')).Config) },
  {
    id: 'settings',
    label: 'Settings',
    show: lazyPart(async () => (await import('./settings.tsx')).Settings),
  },
];

/** One bot: its state, what can be done with it, and a tab for everything else. */
export function BotPage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const { bots, error } = useFleet();
  const tabs = useHereInSight(bots === null ? '' : tab);
  const bot = bots?.get(id);
  if (error !== null && bots === null) return <ErrorNote error={error} />;
  if (bots === null) return <Skeleton rows={4} label="Loading the bot" />;
  const chosen = TABS.find((one) => one.id === tab);
  if (bot === undefined || chosen === undefined) {
    return (
      <Empty title={bot === undefined ? 'There is no bot at this address' : `A bot has no page called ${tab}`}>
        {bot === undefined ? <Link href="/">To the fleet</Link> : <Link href={`/bots/${id}`}>To {bot.name}</Link>}
      </Empty>
    );
  }
  return <Known bot={bot} chosen={chosen} tabs={tabs} />;
}

interface KnownProps extends TabProps {
  readonly chosen: Tab;
  readonly tabs: RefObject<HTMLElement | null>;
}

function Known({ bot, chosen, tabs }: KnownProps) {
  const view = useViewDocument(bot);
  const hasView = (view.data?.html ?? null) !== null;
  const shown = TABS.filter((one) => one !== VIEW || chosen === VIEW || hasView);
  const Show = chosen.show;
  return (
    <>
      <BotHead bot={bot} />
      <nav ref={tabs} className={styles.tabs} aria-label={`Tabs of ${bot.name}`}>
        {shown.map(({ id: tabId, label }) => (
          <Link
            key={tabId}
            href={`/bots/${bot.bot_id}${tabId === 'overview' ? '' : `/${tabId}`}`}
            className={styles.tab}
            aria-current={tabId === chosen.id ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<Skeleton />}>
        <Show key={bot.bot_id} bot={bot} />
      </Suspense>
    </>
  );
}
