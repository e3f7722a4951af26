import {
  Bell,
  BellOff,
  BellPlus,
  Copy,
  CopyPlus,
  Link2,
  Pencil,
  Play,
  RotateCw,
  Settings,
  ShieldAlert,
  ShieldOff,
  Square,
  Terminal,
  Trash2,
  Unlock,
  Zap,
} from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import { waitsToBeArmed } from '../../../shared/approval-words.ts';
import { armingText, isArmed } from '../../../shared/arming-words.ts';
import { describeCron } from '../../../shared/cron-describe.ts';
import { hintHere, typed } from '../../../shared/npx-command.ts';
import { DEFAULT_TIMEZONE } from '../../../shared/schedule.ts';
import { COPIED, isBrought, NEEDS_ARMING } from '../../../shared/waiting-reasons.ts';
import { ActionsMenu, type MenuAction } from '../../components/actions-menu.tsx';
import { Ticked } from '../../components/backtick-text.tsx';
import { Button } from '../../components/button.tsx';
import { copyText, NOT_COPIED } from '../../components/copy-text.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { BotState } from '../../components/status.tsx';
import { Since, Time, useNow } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { duplicateBotAddress } from '../../data/duplicate-bot-address.ts';
import { muteBot, usePreferences } from '../../data/preferences.ts';
import { BOT_ACTIONS } from '../../data/start-stop-actions.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useAction } from '../../data/use-call.ts';
import { EditVersion } from '../custom-bots/edit-version.tsx';
import { ArmBot } from './arm-bot.tsx';
import styles from './bot-head.module.css';
import { BotVersion } from './bot-versions.tsx';
import { DeleteBot } from './delete-bot.tsx';
import type { TabProps } from './tab-props.ts';
import { TellMeDialog } from './tell-me.tsx';

/** Id of the element with the reason for the bot's state. */
const WHY = 'bot-why';
const COPY = <Copy aria-hidden="true" />;

function copyActions(bot: Bot): readonly MenuAction[] {
  const copy = (text: string) => () =>
    void copyText(text).then((done) => done || toastFailed(text, new Error(NOT_COPIED)));
  return [
    { label: 'Copy id', icon: COPY, run: copy(bot.bot_id) },
    { label: 'Copy address', icon: <Link2 aria-hidden="true" />, run: copy(bot.url) },
    {
      label: 'Copy log command',
      icon: <Terminal aria-hidden="true" />,
      run: copy(typed(`bot logs ${bot.bot_id} -w`)),
    },
  ];
}

/** Head of a bot's page: its name, its state with the reason, and the actions on it. */
export function BotHead({ bot }: TabProps) {
  const { socket, who } = useHost();
  const [, go] = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const [isTelling, setTelling] = useState(false);
  const [isArming, setArming] = useState(false);
  const input = { bot_id: bot.bot_id };
  // A press on Start ends the hold that stands above it, and no later one.
  const start = useAction(async () => void (await BOT_ACTIONS.start.ask(socket, bot.bot_id, bot.hold)));
  const startAgain = (): void => {
    socket
      .call('bots.start', input)
      .catch((thrown: unknown) => toastFailed(`${bot.name} was not started again`, thrown));
  };
  const stop = useAction(async () => {
    await socket.call('bots.stop', input);
    toastDone(`Stopped ${bot.name}`, startAgain);
  });
  const restart = useAction(async () => void (await socket.call('bots.restart', input)));
  const run = useAction(async () => void (await socket.call('bots.run', input)));
  const disarm = useAction(async () => {
    await socket.call('bots.disarm', input);
    toastDone(`${bot.name} is disarmed, and stops`);
  });
  const error = start.error ?? stop.error ?? restart.error ?? run.error ?? disarm.error;
  const isScheduled = bot.type.startsWith('scheduled/');
  const mayChange = who.scope !== 'read';
  const isMuted = usePreferences((one) => one.muted_bots.includes(bot.bot_id));
  const mayEdit = who.user.role === 'owner' && who.scope === 'full';
  const change: readonly MenuAction[] = [
    {
      label: 'Settings',
      icon: <Settings aria-hidden="true" />,
      run: () => go(`/bots/${bot.bot_id}/settings`),
    },
    {
      label: 'Duplicate…',
      icon: <CopyPlus aria-hidden="true" />,
      run: () => go(duplicateBotAddress(bot)),
    },
    ...(mayEdit
      ? [{ label: 'Edit in editor…', icon: <Pencil aria-hidden="true" />, run: () => setEditing(true) }]
      : []),
    ...(who.scope === 'full'
      ? [{ label: 'Tell me when…', icon: <BellPlus aria-hidden="true" />, run: () => setTelling(true) }]
      : []),
    ...(bot.arming?.state === 'armed'
      ? [{ label: 'Arm again…', icon: <Unlock aria-hidden="true" />, run: () => setArming(true) }]
      : []),
    ...(bot.arming !== null && bot.arming.state !== 'unarmed'
      ? [{ label: 'Disarm and stop', icon: <ShieldOff aria-hidden="true" />, run: () => void disarm.run() }]
      : []),
    {
      label: isMuted ? 'Notify of failures' : 'Mute failures',
      icon: isMuted ? <Bell aria-hidden="true" /> : <BellOff aria-hidden="true" />,
      run: () => muteBot(bot.bot_id, !isMuted),
    },
  ];
  return (
    <>
      <header className={styles.head}>
        <div className={styles.title}>
          <h1>{bot.name}</h1>
          <p className={styles.about}>
            <LiveBadge bot={bot} />
            <BotState bot={bot} />
            {isMuted ? (
              <span className={styles.muted} title="The desktop app does not tell you of its failures">
                <BellOff aria-hidden="true" /> Muted
              </span>
            ) : null}
            <BotVersion bot={bot} />
            {bot.schedule === null ? null : (
              <span title={bot.schedule}>{describeCron(bot.schedule, bot.timezone ?? DEFAULT_TIMEZONE)}</span>
            )}
          </p>
          <Why bot={bot} />
          <Arming bot={bot} />
          <Waits bot={bot} />
          {bot.isolation_exception === null ? null : (
            <p className={styles.exception}>
              <ShieldAlert aria-hidden="true" /> {bot.isolation_exception.message}
            </p>
          )}
          {bot.exposure === null ? null : (
            <p className={styles.exception}>
              <ShieldAlert aria-hidden="true" /> {bot.exposure.message}. {bot.exposure.hint}
            </p>
          )}
        </div>
        <div className={styles.actions}>
          {mayChange && isScheduled && bot.enabled ? (
            <Button icon={<Zap aria-hidden="true" />} busy={run.busy} onClick={() => void run.run()}>
              Run now
            </Button>
          ) : null}
          {mayChange && bot.arming !== null && bot.arming.state !== 'armed' ? (
            <Button kind="primary" icon={<Unlock aria-hidden="true" />} onClick={() => setArming(true)}>
              Arm…
            </Button>
          ) : null}
          {mayChange ? <Main bot={bot} start={start} stop={stop} restart={restart} /> : null}
          <ActionsMenu
            label={`Actions for ${bot.name}`}
            groups={[
              ...(mayChange ? [change] : []),
              copyActions(bot),
              ...(mayChange
                ? [
                    [
                      {
                        label: 'Delete…',
                        icon: <Trash2 aria-hidden="true" />,
                        danger: true,
                        run: () => setDeleting(true),
                      },
                    ],
                  ]
                : []),
            ]}
          />
        </div>
      </header>
      {error === null ? null : (
        <div className={styles.error}>
          <ErrorNote error={error} />
        </div>
      )}
      <EditVersion
        edited={{ name: bot.type.split('/')[1] ?? '', version: bot.version }}
        open={isEditing}
        onClose={() => setEditing(false)}
      />
      <TellMeDialog start={{ bot: bot.bot_id }} open={isTelling} onClose={() => setTelling(false)} />
      <ArmBot bot={bot} open={isArming} onClose={() => setArming(false)} />
      <DeleteBot bot={bot} open={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}

/** How far a person has allowed a bot to use its live secrets; nothing for a bot without any. */
function Arming({ bot }: TabProps) {
  const zone = usePreferences((one) => one.zone);
  const now = useNow();
  // The reason of a bot that waits says the same.
  if (bot.arming === null || waitsToBeArmed(bot)) return null;
  const needsLook = bot.arming.for_review || !isArmed(bot) || bot.arming.state === 'expired';
  return (
    <p className={needsLook ? styles.exception : styles.why}>Live secrets: {armingText(bot.arming, { now, zone })}</p>
  );
}

/** A change that a key asked for, and that waits for a person. */
function Waits({ bot: { approval } }: TabProps) {
  if (approval === null) return null;
  const { asked_by, changes, status } = approval;
  const isOutdated = status === 'outdated';
  return (
    <p className={styles.exception}>
      {isOutdated
        ? `${asked_by} asked for a change before the bot changed otherwise.`
        : `${asked_by} asks for a change that waits for you: ${changes.join('; ')}.`}{' '}
      <Link href="/waiting">{isOutdated ? 'Reject it' : 'Approve or reject it'}</Link>
    </p>
  );
}

/** A bot that was stopped is switched off a moment before its program begins to end. */
function endsNow({ type, enabled, status }: Bot): boolean {
  const runs = status === 'running' || status === 'starting';
  return status === 'stopping' || (type.startsWith('realtime/') && !enabled && runs);
}

interface Doer {
  readonly run: () => Promise<boolean>;
  readonly busy: boolean;
}

function Main({
  bot,
  start,
  stop,
  restart,
}: {
  readonly bot: Bot;
  readonly start: Doer;
  readonly stop: Doer;
  readonly restart: Doer;
}) {
  const isEnding = endsNow(bot);
  if (!isEnding && (!bot.enabled || bot.status === 'failed')) {
    // The host refuses it until its owner has confirmed the move.
    const isCopied = bot.reason?.code === COPIED;
    // Arming starts it.
    if (waitsToBeArmed(bot)) return null;
    return (
      <Button
        kind="primary"
        icon={<Play aria-hidden="true" />}
        busy={start.busy}
        disabled={isCopied}
        title={isCopied ? `${bot.reason?.message}. ${hintHere(bot.reason?.hint ?? '')}` : undefined}
        aria-describedby={isCopied ? WHY : undefined}
        onClick={() => void start.run()}
      >
        Start
      </Button>
    );
  }
  return (
    <>
      {bot.status === 'backing_off' ? (
        <Button icon={<Play aria-hidden="true" />} busy={start.busy} onClick={() => void start.run()}>
          Try now
        </Button>
      ) : null}
      {bot.type.startsWith('realtime/') && bot.status === 'running' ? (
        <Button icon={<RotateCw aria-hidden="true" />} busy={restart.busy} onClick={() => void restart.run()}>
          Restart
        </Button>
      ) : null}
      <Button icon={<Square aria-hidden="true" />} busy={stop.busy || isEnding} onClick={() => void stop.run()}>
        Stop
      </Button>
    </>
  );
}

/** Reason for the state of a bot, where there is more to say than the state. */
function Why({ bot }: TabProps) {
  const zone = usePreferences((one) => one.zone);
  const isWell = bot.status === 'running' || bot.status === 'scheduled' || bot.status === 'starting';
  // A host that was ended between an arming and the start leaves a reason that holds no more.
  const isOver = bot.reason?.code === NEEDS_ARMING && !waitsToBeArmed(bot);
  if (bot.reason === null || isWell || isOver) return null;
  return (
    <p id={WHY} className={styles.why}>
      {bot.reason.message}
      {bot.status === 'backing_off' && bot.next_attempt_at !== null ? (
        <>
          {' · next try in '}
          <Since at={bot.next_attempt_at} />
        </>
      ) : (
        <>
          {' · '}
          <Time at={bot.reason.at} zone={zone} />
        </>
      )}
      {(bot.reason.code === NEEDS_ARMING || isBrought(bot.reason) || bot.hold !== null) && bot.reason.hint !== null ? (
        <>
          <br />
          <Ticked text={hintHere(bot.reason.hint)} />
        </>
      ) : null}
    </p>
  );
}
