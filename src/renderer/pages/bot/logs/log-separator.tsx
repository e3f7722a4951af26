import { CalendarDays, Play, Rocket, SlidersHorizontal, TriangleAlert } from 'lucide-react';
import type { ComponentType } from 'react';
import type { BotEvent, Run } from '../../../../contract/bot.ts';
import { formatDuration } from '../../../../shared/format-quantity.ts';
import styles from './log-separator.module.css';
import type { Row } from './rows.ts';
import { dayInWords, full, type Zone } from './stamps.ts';
import { useRunOfSeparator } from './use-run-of-separator.ts';

type Icon = ComponentType<{ readonly 'aria-hidden': true }>;

interface RuleProps {
  readonly id: string;
  readonly icon: Icon;
  readonly tone?: 'failed';
  readonly label: string;
  readonly more?: string;
  readonly at?: string;
}

function Rule({ id, icon: Icon, tone, label, more, at }: RuleProps) {
  return (
    <li className={styles.rule} data-key={id} data-tone={tone}>
      <span className={styles.words} title={at}>
        <Icon aria-hidden={true} />
        <strong>{label}</strong>
        {more === undefined || more === '' ? null : <span className={styles.more}>{more}</span>}
      </span>
    </li>
  );
}

const TRIGGERS: Readonly<Record<Run['trigger'], string>> = {
  schedule: 'by its schedule',
  manual: 'by hand',
  catch_up: 'to catch up',
  query: 'for a query',
  deploy: 'by the deploy',
  restart: 'by a restart',
  recovery: 'after a failure',
  update: 'by a change',
  boot: 'with the host',
};

const ENDS: Readonly<Record<Run['status'], string>> = {
  starting: 'starting',
  running: 'still running',
  succeeded: 'succeeded',
  failed: 'failed',
  stopped: 'was stopped',
  timed_out: 'timed out',
  skipped: 'was skipped',
  lost: 'was lost',
};

/** Describes the start and end of a run, in a few words. */
function aboutRun({ trigger, version, status, duration_ms: duration, reason }: Run): string {
  const lasted = duration === null ? '' : ` after ${formatDuration(duration)}`;
  const why = status === 'failed' && reason !== null ? `: ${reason.message}` : '';
  return `${TRIGGERS[trigger]} · ${version} · ${ENDS[status]}${lasted}${why}`;
}

interface RunRuleProps {
  readonly id: string;
  readonly botId: string;
  readonly runId: string;
  readonly at: string;
  readonly zone: Zone;
}

function RunRule({ id, botId, runId, at, zone }: RunRuleProps) {
  const run = useRunOfSeparator(botId, runId);
  const isBad = run?.status === 'failed' || run?.status === 'timed_out' || run?.status === 'lost';
  const tone = isBad ? ({ tone: 'failed' } as const) : {};
  return (
    <Rule
      id={id}
      icon={Play}
      {...tone}
      label="Run started"
      more={run === null ? '' : aboutRun(run)}
      at={`${full(at, zone)} · ${runId}`}
    />
  );
}

function EventRule({ id, event, zone }: { readonly id: string; readonly event: BotEvent; readonly zone: Zone }) {
  const at = full(event.at, zone);
  if (event.kind === 'deployed') return <Rule id={id} icon={Rocket} label="Deployed" at={at} />;
  if (event.kind === 'updated') {
    const changes = event.changes.map((one) => one.message).join(' · ');
    return <Rule id={id} icon={SlidersHorizontal} label="Changed" more={changes} at={at} />;
  }
  return <Rule id={id} icon={TriangleAlert} tone="failed" label="Failed" more={event.reason?.message ?? ''} at={at} />;
}

interface LogRuleProps {
  readonly row: Exclude<Row, { kind: 'line' }>;
  readonly botId: string;
  readonly zone: Zone;
}

/** Rule for an event, a run or a new day between two lines. */
export function LogRule({ row, botId, zone }: LogRuleProps) {
  if (row.kind === 'event') return <EventRule id={row.key} event={row.event} zone={zone} />;
  if (row.kind === 'run') return <RunRule id={row.key} botId={botId} runId={row.runId} at={row.at} zone={zone} />;
  return <Rule id={row.key} icon={CalendarDays} label={dayInWords(row.at, zone)} />;
}
