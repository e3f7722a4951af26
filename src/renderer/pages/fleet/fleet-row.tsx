import { CircleAlert, ShieldAlert, TriangleAlert } from 'lucide-react';
import { Fragment, memo, type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import type { Ledger } from '../../../contract/ledger.ts';
import type { FleetColumn } from '../../../contract/preference-choices.ts';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { LiveBadge } from '../../components/live-badge.tsx';
import { Money } from '../../components/money.tsx';
import { formatCount } from '../../components/number.ts';
import { Sparkline } from '../../components/sparkline.tsx';
import { BotState, Status } from '../../components/status.tsx';
import { useNow } from '../../components/time.tsx';
import { MODE_LABELS, modeTotals, unnamedWords } from '../../data/ledger/mode-totals.ts';
import { useSmallMetrics } from '../../data/metrics/sparklines.ts';
import { formatCpu } from '../../data/usage.ts';
import { useWatched } from '../../data/visible-bot-usage.ts';
import { COLUMNS } from './column-list.ts';
import { Doing } from './doing.tsx';
import { FleetRowMenu } from './fleet-row-menu.tsx';
import { isInNeed, lastHourPath } from './fleet-rows.ts';
import styles from './fleet-table.module.css';
import { LastTrade } from './last-trade.tsx';

interface RowProps {
  readonly bot: Bot;
  readonly index: number;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  /** True for the row whose bot the panel beside the table shows. */
  readonly isShown: boolean;
  /** True where the whole row leads to the page of its bot. */
  readonly isLink: boolean;
  readonly columns: readonly FleetColumn[];
  /** Its books of today; absent for a bot without any, and until they are read. */
  readonly ledger: Ledger | undefined;
  readonly onActive: (index: number) => void;
  readonly onChoose: ((index: number, isRange: boolean) => void) | null;
}

/** Marks a bot that is less isolated than the host demands, or that others can reach: its page says more. */
function Unguarded({ bot: { isolation_exception: exception, exposure } }: { readonly bot: Bot }) {
  const label = exception === null ? 'Open to programs other than its host' : 'Less isolated than this host demands';
  const why = exception?.message ?? exposure?.message;
  if (why === undefined) return null;
  return (
    <span className={styles.unguarded} title={why}>
      <ShieldAlert aria-hidden="true" />
      <span className="visually-hidden">{label}</span>
    </span>
  );
}

/** Warnings and errors of the last hour, each a way to its lines. */
function Trouble({ botId, name }: { readonly botId: string; readonly name: string }) {
  const counts = useWatched((one) => one.counts.get(botId));
  // The start of the hour moves on: a minute's step keeps the links as they are meanwhile.
  const now = useNow();
  if (counts === undefined || counts.warn + counts.error === 0) return null;
  return (
    <span className={styles.counts}>
      {counts.error === 0 ? null : (
        <Link
          href={lastHourPath(botId, 'error', now)}
          className={styles.errors}
          aria-label={`${counts.error} errors of ${name} in the last hour`}
          tabIndex={-1}
        >
          <CircleAlert aria-hidden="true" />
          {formatCount(counts.error)}
        </Link>
      )}
      {counts.warn === 0 ? null : (
        <Link
          href={lastHourPath(botId, 'warn', now)}
          className={styles.warnings}
          aria-label={`${counts.warn} warnings of ${name} in the last hour`}
          tabIndex={-1}
        >
          <TriangleAlert aria-hidden="true" />
          {formatCount(counts.warn)}
        </Link>
      )}
    </span>
  );
}

/** Profit of today in the mode that matters most, and how much there is besides. A bot that earned nothing today says that. */
function ProfitToday({ of }: { readonly of: Ledger | undefined }) {
  const modes = of === undefined ? [] : modeTotals([of]);
  const main = modes.find(({ profit }) => profit.length > 0) ?? modes[0];
  if (main === undefined) return null;
  const [first] = main.profit;
  const rest = modes.reduce((count, { profit }) => count + profit.length, 0) - 1;
  return (
    <span className={styles.profits}>
      {first === undefined ? (
        <span className={styles.faint}>{unnamedWords(main) ?? 'none'}</span>
      ) : (
        <Money of={first.amount} currency={first.currency} signed />
      )}
      <span className={styles.faint}>
        {MODE_LABELS[main.mode]}
        {rest > 0 ? ` · ${rest} more` : ''}
      </span>
    </span>
  );
}

const classesOf = ({ isChosen, isShown, isLink }: RowProps): string =>
  [styles.row, isChosen ? styles.chosen : '', isShown ? styles.shown : '', isLink ? styles.covered : ''].join(' ');

/** One bot of the fleet. Where there is no room for a panel, the link of its name covers the row. */
export const FleetRow = memo(function FleetRow(props: RowProps) {
  const { bot, index, isActive, isChosen, isShown, columns, ledger, onActive, onChoose } = props;
  const row = useRef<HTMLTableRowElement>(null);
  const small = useSmallMetrics(bot.bot_id, row);
  const read = useWatched((one) => one.usage.get(bot.bot_id));
  const usage = bot.run_id === null ? null : read;
  const why = bot.reason ?? bot.health.reason;
  const cells: Readonly<Record<FleetColumn, ReactNode>> = {
    custom_bot: (
      <td className={styles.custom}>
        <span className={styles.of} title={`${bot.type.split('/')[1]} ${bot.version}`}>
          <span>{bot.type.split('/')[1]}</span> <span className="mono">{bot.version}</span>
        </span>
      </td>
    ),
    profit: (
      <td className={styles.profit}>
        <ProfitToday of={ledger} />
      </td>
    ),
    metric: <td className={styles.metric}>{small?.series == null ? null : <Sparkline {...small.series} />}</td>,
    last_trade: (
      <td className={styles.trade}>
        <LastTrade of={small} />
      </td>
    ),
    last_run: (
      <td className={styles.last}>{bot.last_run?.ended_at == null ? null : <Status of={bot.last_run.status} />}</td>
    ),
    last_hour: (
      <td className={styles.trouble}>
        <Trouble botId={bot.bot_id} name={bot.name} />
      </td>
    ),
    cpu: <td className={styles.cpu}>{usage?.cpu == null ? null : formatCpu(usage.cpu)}</td>,
    memory: <td className={styles.memory}>{usage == null ? null : formatBytes(usage.memory)}</td>,
  };
  return (
    <tr ref={row} className={classesOf(props)} aria-rowindex={index + 2} data-row={index}>
      {onChoose === null ? null : (
        <td className={styles.pick}>
          <input
            type="checkbox"
            aria-label={`Select ${bot.name}`}
            tabIndex={-1}
            checked={isChosen}
            onChange={(event) =>
              onChoose(index, 'shiftKey' in event.nativeEvent && event.nativeEvent.shiftKey === true)
            }
          />
        </td>
      )}
      <td className={styles.status}>
        <BotState bot={bot} />
      </td>
      <td className={styles.name}>
        <span className={styles.title}>
          <Link
            className={styles.link}
            href={`/bots/${bot.bot_id}`}
            tabIndex={isActive ? 0 : -1}
            data-name=""
            aria-current={isShown ? 'true' : undefined}
            onFocus={() => onActive(index)}
            title={why === null ? undefined : `${why.code}: ${why.message}`}
          >
            {bot.name}
          </Link>
          <LiveBadge bot={bot} />
          <Unguarded bot={bot} />
        </span>
        <span className={styles.under}>
          <span className={styles.narrowState}>
            <BotState bot={bot} />
          </span>
          <span className={isInNeed(bot) ? styles.reason : undefined}>
            <Doing bot={bot} />
          </span>
        </span>
      </td>
      {COLUMNS.map(({ id }) => (columns.includes(id) ? <Fragment key={id}>{cells[id]}</Fragment> : null))}
      <td className={styles.more}>
        <FleetRowMenu bot={bot} isActive={isActive} />
      </td>
    </tr>
  );
});
