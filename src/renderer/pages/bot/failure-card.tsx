import { Check, ClipboardCopy, OctagonAlert, Pencil, RotateCw, Undo2, Wrench } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import type { Failure } from '../../../contract/failure.ts';
import { hintHere, typedHere } from '../../../shared/npx-command.ts';
import { COPIED } from '../../../shared/waiting-reasons.ts';
import { AlarmDeliveries } from '../../components/alarm-deliveries.tsx';
import { Ticked } from '../../components/backtick-text.tsx';
import { Button } from '../../components/button.tsx';
import { copyText } from '../../components/copy-text.ts';
import { CommandLine } from '../../components/copyable-command.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Since, Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { BOT_ACTIONS } from '../../data/start-stop-actions.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { EditVersion } from '../custom-bots/edit-version.tsx';
import styles from './failure-card.module.css';
import { type FixLink, fixLink } from './failure-fix.ts';
import { assistantText, endWords, STEP_WORDS } from './failure-for-assistant.ts';
import { LineText } from './logs/line-text.tsx';
import { rollbackEffect, versionThatWorked } from './rollback.ts';
import { TellMe } from './tell-me.tsx';
import { alarmsOfFailure } from './who-was-told.ts';

interface CardProps {
  readonly bot: Bot;
  readonly failure: Failure;
}

/** A bot's failure, its evidence, recent changes, and the way out. */
export function FailureCard({ bot, failure }: CardProps) {
  const zone = usePreferences((one) => one.zone);
  const end = endWords(failure);
  return (
    <section className={styles.card} aria-labelledby="failure-title">
      <OctagonAlert className={styles.icon} aria-hidden="true" />
      <div className={styles.body}>
        <header>
          <h2 id="failure-title" className={styles.title}>
            {failure.message}
          </h2>
          <p className={styles.facts}>
            <span>
              <code>{failure.code}</code>
              {failure.cause === null ? null : (
                <>
                  {' by '}
                  <code>{failure.cause.code}</code>
                </>
              )}
            </span>
            <span>
              {STEP_WORDS[failure.step]}
              {end === null ? '' : `, ${end}`}
            </span>
            <Time at={failure.at} zone={zone} />
            {failure.repeats > 1 && failure.cause === null ? <span>{failure.repeats} times in a row</span> : null}
            <Again bot={bot} />
          </p>
        </header>
        <Evidence bot={bot} failure={failure} />
        <Changes failure={failure} />
        <Told bot={bot} failure={failure} />
        <div className={styles.part}>
          <h3>What to do</h3>
          <p>
            <Ticked text={hintHere(failure.next.action)} />
          </p>
        </div>
        <Ways bot={bot} failure={failure} />
        {failure.next.commands.length === 0 ? null : (
          <div className={styles.part}>
            <h3>From a terminal</h3>
            {failure.next.commands.map((command) => (
              <CommandLine key={command} text={typedHere(command)} />
            ))}
          </div>
        )}
      </div>
    </section>
  );
}

/** Next start of a failing realtime bot, or the time since which it runs again. */
function Again({ bot }: { readonly bot: Bot }) {
  const zone = usePreferences((one) => one.zone);
  if (bot.health.state === 'ok' || !bot.type.startsWith('realtime/')) return null;
  if (bot.status === 'starting') return <span>Trying again now…</span>;
  if (bot.status === 'running' && bot.started_at !== null) {
    return (
      <span>
        Started again <Time at={bot.started_at} zone={zone} />
      </span>
    );
  }
  if (bot.status !== 'backing_off' || bot.next_attempt_at === null) return null;
  return (
    <span>
      Trying again in <Since at={bot.next_attempt_at} />
    </span>
  );
}

function Evidence({ bot, failure }: CardProps) {
  if (failure.evidence.length === 0) return null;
  const run = failure.run_id === null ? '' : `?run=${encodeURIComponent(failure.run_id)}`;
  return (
    <div className={styles.part}>
      <h3>
        What shows it <Link href={`/bots/${bot.bot_id}/logs${run}`}>Open in the log</Link>
      </h3>
      <pre className={styles.evidence}>
        {failure.evidence.map((line) => (
          <span key={`${line.seq} ${line.message}`} className={styles.line}>
            <LineText text={line.message} hasMasks={false} search="" isCurrent={false} whole={true} />
            {'\n'}
          </span>
        ))}
      </pre>
    </div>
  );
}

function Changes({ failure }: { readonly failure: Failure }) {
  const zone = usePreferences((one) => one.zone);
  const { changes, last_worked_at: worked } = failure;
  if (changes.length === 0 && worked === null) return null;
  return (
    <div className={styles.part}>
      <h3>{worked === null ? 'What was changed so far' : 'What changed since it last worked'}</h3>
      {changes.length === 0 ? <p>Nothing of the bot: no version, config, schedule or option.</p> : null}
      <ul className={styles.changes}>
        {worked === null ? null : (
          <li>
            <Time at={worked} zone={zone} />
            <span>It still worked</span>
          </li>
        )}
        {changes.map((change) => (
          <li key={`${change.at} ${change.message}`}>
            <Time at={change.at} zone={zone} />
            <strong>{change.message}</strong>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A failure that goes on may have told of itself very often; the log of alarms has all. */
const MOST_ALARMS = 5;

/** Who was told of this failure, when, or why nobody was. */
function Told({ bot, failure }: CardProps) {
  const zone = usePreferences((one) => one.zone);
  const log = useCall('alarms.log', { bot_id: bot.bot_id });
  const alarms = alarmsOfFailure(log.data?.items ?? [], failure.at).slice(0, MOST_ALARMS);
  if (log.error !== null) return <ErrorNote error={log.error} />;
  if (alarms.length === 0) return null;
  return (
    <div className={styles.part}>
      <h3>
        Who was told <Link href="/settings/alarms">All alarms</Link>
      </h3>
      <ul className={styles.changes}>
        {alarms.map((alarm) => (
          <li key={alarm.alarm_id}>
            <Time at={alarm.at} zone={zone} />
            <span>{alarm.title}</span>
            <AlarmDeliveries alarm={alarm} zone={zone} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const SHOWN_MS = 2000;

function CopyForAssistant({ bot, failure }: CardProps) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (): void =>
    void copyText(assistantText(bot, failure)).then((copied) =>
      copied ? setDone(true) : toastFailed('The failure', new Error('The browser did not let this page copy')),
    );
  return (
    <Button icon={done ? <Check aria-hidden="true" /> : <ClipboardCopy aria-hidden="true" />} onClick={copy}>
      {done ? 'Copied' : 'Copy for assistant'}
    </Button>
  );
}

interface FixProps {
  readonly bot: Bot;
  readonly failure: Failure;
  readonly fix: FixLink;
  readonly isFirst: boolean;
}

function FixButton({ bot, failure, fix, isFirst }: FixProps) {
  const { who } = useHost();
  const [, go] = useLocation();
  const [isEditing, setEditing] = useState(false);
  const place = failure.next.fix?.kind === 'code' ? failure.next.fix : null;
  const mayEdit = place !== null && who.user.role === 'owner' && who.scope === 'full';
  return (
    <>
      <Button kind={isFirst ? 'primary' : 'plain'} icon={<Wrench aria-hidden="true" />} onClick={() => go(fix.href)}>
        {fix.label}
      </Button>
      {mayEdit ? (
        <>
          <Button icon={<Pencil aria-hidden="true" />} onClick={() => setEditing(true)}>
            Edit it
          </Button>
          <EditVersion
            edited={{ name: bot.type.split('/')[1] ?? '', version: bot.version, file: place.file, line: place.line }}
            open={isEditing}
            onClose={() => setEditing(false)}
          />
        </>
      ) : null}
    </>
  );
}

function Ways({ bot, failure }: CardProps) {
  const { socket, who } = useHost();
  const runs = useCall('runs.list', failure.last_worked_at === null ? null : { bot_id: bot.bot_id, limit: 100 });
  const version = versionThatWorked(bot, failure, runs.data?.items ?? []);
  const isRunning = bot.enabled && bot.run_id !== null;
  const again = useAction(
    async () => void (await BOT_ACTIONS[isRunning ? 'restart' : 'start'].ask(socket, bot.bot_id, bot.hold)),
  );
  const runNow = useAction(async () => void (await BOT_ACTIONS.run.ask(socket, bot.bot_id)));
  const effect = rollbackEffect(bot);
  const back = useAction(async () => {
    if (version === null) return;
    const before = { bot_id: bot.bot_id, version: bot.version, enabled: bot.enabled };
    // A version changes under a hold, which only a start ends.
    const enabled = bot.hold === null ? true : undefined;
    await socket.call('bots.update', { bot_id: bot.bot_id, version, ...(enabled === undefined ? {} : { enabled }) });
    const undo = (): void =>
      void socket.call('bots.update', before).then(
        () => toastDone(`${bot.name} is on version ${before.version} again.`),
        (thrown: unknown) => toastFailed(`${bot.name} stays on version ${version}`, thrown),
      );
    toastDone(`${bot.name} is back on version ${version}. ${effect.done}`, undo);
  });
  // The host starts nothing of a copied folder; the head of the page says why.
  const isCopied = bot.reason?.code === COPIED;
  const isScheduled = bot.type.startsWith('scheduled/');
  const doIt = isScheduled && bot.enabled && bot.status !== 'failed' ? runNow : again;
  const error = again.error ?? runNow.error ?? back.error;
  // Who may only read can look at code, and change no setting.
  const mayFix = who.scope !== 'read' || failure.next.fix?.kind === 'code';
  const fix = mayFix ? fixLink(bot, failure.next.fix) : null;
  const isFixFirst = fix !== null && (version === null || failure.next.fix?.kind !== 'code');
  return (
    <>
      <div className={styles.ways}>
        {isFixFirst ? <FixButton bot={bot} failure={failure} fix={fix} isFirst={true} /> : null}
        {who.scope === 'read' ? null : (
          <>
            {version === null ? null : (
              <Button
                kind={isFixFirst ? 'plain' : 'primary'}
                icon={<Undo2 aria-hidden="true" />}
                busy={back.busy}
                disabled={isCopied}
                onClick={() => void back.run()}
              >
                Roll back to {version}
              </Button>
            )}
            <Button
              icon={<RotateCw aria-hidden="true" />}
              busy={doIt.busy}
              disabled={isCopied}
              onClick={() => void doIt.run()}
            >
              {doIt === runNow ? 'Run again' : 'Restart'}
            </Button>
          </>
        )}
        {fix === null || isFixFirst ? null : <FixButton bot={bot} failure={failure} fix={fix} isFirst={false} />}
        <CopyForAssistant bot={bot} failure={failure} />
        <TellMe start={{ on: 'failed', bot: bot.bot_id }} />
        {who.scope === 'read' || version === null ? null : <p className={styles.effect}>{effect.before}</p>}
      </div>
      {error === null ? null : <ErrorNote error={error} />}
    </>
  );
}
