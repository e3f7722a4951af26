import { Play, RotateCw, Square } from 'lucide-react';
import { type ComponentType, lazy, Suspense } from 'react';
import { Link } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import { useFleet } from '../../data/fleet.ts';
import { useHost } from '../../data/host.ts';
import { useAction } from '../../data/use-call.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Status } from '../../parts/status.tsx';
import styles from './bot-page.module.css';
import { Overview } from './overview.tsx';

/** What every tab is given. */
export interface TabProps {
  readonly bot: Bot;
}

interface Tab {
  readonly id: string;
  readonly word: string;
  readonly show: ComponentType<TabProps>;
}

const TABS: readonly Tab[] = [
  { id: 'overview', word: 'Overview', show: Overview },
  { id: 'logs', word: 'Logs', show: lazy(async () => ({ default: (await import('./logs/logs-tab.tsx')).LogsTab })) },
];

/** One bot: its state, what can be done with it, and a tab for everything else. */
export function BotPage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const bots = useFleet((one) => one.bots);
  const bot = bots?.get(id);
  if (bots === null) return null;
  if (bot === undefined) {
    return (
      <Empty title="Bot not found">
        <Link href="/">To the fleet</Link>
      </Empty>
    );
  }
  const chosen = TABS.find((one) => one.id === tab) ?? TABS[0];
  if (chosen === undefined) return null;
  const Show = chosen.show;
  return (
    <>
      <Head bot={bot} />
      <nav className={styles.tabs} aria-label={`Tabs of ${bot.name}`}>
        {TABS.map(({ id: tabId, word }) => (
          <Link
            key={tabId}
            href={`/bots/${bot.bot_id}${tabId === 'overview' ? '' : `/${tabId}`}`}
            className={styles.tab}
            aria-current={tabId === chosen.id ? 'page' : undefined}
          >
            {word}
          </Link>
        ))}
      </nav>
      <Suspense fallback={null}>
        <Show key={bot.bot_id} bot={bot} />
      </Suspense>
    </>
  );
}

function Head({ bot }: TabProps) {
  const { socket, who } = useHost();
  const input = { bot_id: bot.bot_id };
  const start = useAction(async () => void (await socket.call('bots.start', input)));
  const stop = useAction(async () => void (await socket.call('bots.stop', input)));
  const restart = useAction(async () => void (await socket.call('bots.restart', input)));
  const error = start.error ?? stop.error ?? restart.error;
  const mayChange = who.scope !== 'read';
  const runs = bot.type.startsWith('realtime/') && bot.status === 'running';
  return (
    <>
      <header className={styles.head}>
        <div className={styles.title}>
          <h1>{bot.name}</h1>
          <p className={styles.about}>
            <Status of={bot.status} /> <span>{bot.type.split('/')[1]}</span> <span className="mono">{bot.version}</span>{' '}
            <span>{bot.engine}</span>
          </p>
        </div>
        {mayChange ? (
          <div className={styles.actions}>
            {runs ? (
              <Button icon={<RotateCw aria-hidden="true" />} busy={restart.busy} onClick={() => void restart.run()}>
                Restart
              </Button>
            ) : null}
            {bot.enabled ? (
              <Button icon={<Square aria-hidden="true" />} busy={stop.busy} onClick={() => void stop.run()}>
                Stop
              </Button>
            ) : (
              <Button
                kind="primary"
                icon={<Play aria-hidden="true" />}
                busy={start.busy}
                onClick={() => void start.run()}
              >
                Start
              </Button>
            )}
          </div>
        ) : null}
      </header>
      {error === null ? null : <ErrorNote error={error} />}
    </>
  );
}
