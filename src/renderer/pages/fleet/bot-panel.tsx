import { ArrowRight, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import type { Ledger } from '../../../contract/ledger.ts';
import { hintHere } from '../../../shared/npx-command.ts';
import { ActionsMenu } from '../../components/actions-menu.tsx';
import { Ticked } from '../../components/backtick-text.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { BotState } from '../../components/status.tsx';
import { useSmallMetrics } from '../../data/metrics/sparklines.ts';
import { useCall } from '../../data/use-call.ts';
import { useOnChange } from '../../data/use-every-while-visible.ts';
import { failedWords, RunStrip } from '../bot/run-strip.tsx';
import styles from './bot-panel.module.css';
import { Doing } from './doing.tsx';
import { isInNeed, whyOf } from './fleet-rows.ts';
import { LastTrade } from './last-trade.tsx';
import { PanelLines } from './panel-lines.tsx';
import { PanelMoney, PanelPositions } from './panel-money.tsx';
import { PanelPart } from './panel-part.tsx';
import { useRowActions } from './row-actions.tsx';

/** A bot that keys only pass by is not read. */
const SETTLE_MS = 120;
/** As many bars as a line of the panel has room for. */
const RUNS = 10;

interface PanelProps {
  readonly bot: Bot;
  /** Its books of today; null until those of all bots are read, absent for a bot without any. */
  readonly ledger: Ledger | null | undefined;
  readonly onClose: () => void;
}

function useIsSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSettled;
}

/** One bot of the fleet beside the table: its health with the reason, what it earned, holds, did and wrote last. */
export function BotPanel({ bot, ledger, onClose }: PanelProps) {
  const id = useId();
  const isSettled = useIsSettled();
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    // A menu that is open above the panel closes first.
    if (event.key !== 'Escape' || !event.currentTarget.contains(event.target as Node)) return;
    event.preventDefault();
    onClose();
  };
  return (
    <section className={styles.panel} aria-labelledby={id} onKeyDown={onKeyDown}>
      <header className={styles.head}>
        <div className={styles.title}>
          <h2 id={id}>
            <Link href={`/bots/${bot.bot_id}`}>{bot.name}</Link>
          </h2>
          <Button
            kind="quiet"
            icon={<X aria-hidden="true" />}
            aria-label="Close panel"
            title="Close (Esc)"
            onClick={onClose}
          />
        </div>
        <p className={styles.state}>
          <BotState bot={bot} />
          <LiveBadge bot={bot} />
          {whyOf(bot) === null ? (
            <span>
              <Doing bot={bot} />
            </span>
          ) : null}
          <span className={styles.version}>
            {bot.type.split('/')[1]} <span className="mono">{bot.version}</span>
          </span>
        </p>
        {isInNeed(bot) ? (
          <Failure bot={bot} isSettled={isSettled} />
        ) : whyOf(bot) === null ? null : (
          <p className={styles.why}>
            <Doing bot={bot} />
          </p>
        )}
        <Actions bot={bot} />
      </header>
      <div className={styles.parts}>
        <PanelMoney botId={bot.bot_id} ledger={ledger} />
        <Values bot={bot} />
        <PanelPositions botId={bot.bot_id} ledger={ledger} />
        <Runs bot={bot} isSettled={isSettled} />
        <PanelPart title="Newest lines" action={<Link href={`/bots/${bot.bot_id}/logs`}>All logs</Link>} grows>
          <div className={styles.tail}>{isSettled ? <PanelLines botId={bot.bot_id} /> : null}</div>
        </PanelPart>
      </div>
    </section>
  );
}

/** Why a bot needs somebody, and what that person can do. */
function Failure({ bot, isSettled }: { readonly bot: Bot; readonly isSettled: boolean }) {
  const read = useCall('bots.diagnosis', isSettled ? { bot_id: bot.bot_id } : null);
  useOnChange(`${bot.status} ${bot.run_id ?? ''} ${bot.last_run?.run_id ?? ''} ${bot.version}`, read.reload);
  const failure = read.data?.failure ?? null;
  const hint = failure?.next.action ?? bot.reason?.hint ?? bot.health.reason?.hint ?? null;
  return (
    <div className={styles.failure}>
      <p className={styles.reason}>{failure?.message ?? whyOf(bot) ?? bot.health.reason?.message}</p>
      <p className={styles.next}>{hint === null ? null : <Ticked text={hintHere(hint)} />}</p>
      <Link href={`/bots/${bot.bot_id}`}>What shows it, and how to mend it</Link>
    </div>
  );
}

function Actions({ bot }: { readonly bot: Bot }) {
  const { change, places, copy } = useRowActions(bot, bot.hold);
  return (
    <div className={styles.actions}>
      <Link className={styles.open} href={`/bots/${bot.bot_id}`}>
        Open <ArrowRight aria-hidden="true" />
      </Link>
      {change.map(({ label, icon, run }) => (
        <Button key={label} icon={icon} onClick={run}>
          {label}
        </Button>
      ))}
      <ActionsMenu label={`More actions for ${bot.name}`} groups={[places, copy]} />
    </div>
  );
}

/** The value that its row shows, and its last signal or fill: their columns give way to the panel. */
function Values({ bot }: { readonly bot: Bot }) {
  const place = useRef<HTMLDivElement>(null);
  const small = useSmallMetrics(bot.bot_id, place);
  return (
    <PanelPart title="Value, last hour">
      <div ref={place} className={styles.values}>
        {small?.series == null ? (
          <span className={styles.quiet}>{small === null ? '' : 'It has measured nothing yet'}</span>
        ) : (
          <Sparkline {...small.series} />
        )}
        <LastTrade of={small} />
      </div>
    </PanelPart>
  );
}

function Runs({ bot, isSettled }: { readonly bot: Bot; readonly isSettled: boolean }) {
  const read = useCall('runs.list', isSettled ? { bot_id: bot.bot_id, limit: RUNS } : null);
  useOnChange(`${bot.status} ${bot.last_run?.run_id ?? ''} ${bot.last_run?.status ?? ''}`, read.reload);
  const runs = read.data?.items ?? [];
  return (
    <PanelPart
      title="Last runs"
      action={runs.length === 0 ? null : <span className={styles.sentence}>{failedWords(runs)}</span>}
    >
      <div className={styles.runs}>
        {read.error === null ? null : <ErrorNote error={read.error} />}
        {read.data === null ? null : runs.length === 0 ? (
          <p className={styles.quiet}>It has not run yet.</p>
        ) : (
          <RunStrip botId={bot.bot_id} runs={runs} />
        )}
      </div>
    </PanelPart>
  );
}
