import { useState } from 'react';
import { Link } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import { COPIED } from '../../../shared/waiting-reasons.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { isOlder, moveWord } from '../../components/version-move.ts';
import { useHost } from '../../data/connection-and-user.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { useOnChange } from '../../data/use-every-while-visible.ts';
import styles from './bot-versions.module.css';
import { versionEffect } from './rollback.ts';
import type { TabProps } from './tab-props.ts';

/** The versions that the window lists; all of them are on the page of the custom bot. */
const MOST = 8;

/** The custom bot and version of a bot, a newer version where there is one, and the way to another version. */
export function BotVersion({ bot }: TabProps) {
  const { who } = useHost();
  const [open, setOpen] = useState(false);
  const name = bot.type.split('/')[1] ?? '';
  const list = useCall('custom_bots.list', {});
  useOnChange(`${bot.version} ${open}`, list.reload);
  const versions = list.data?.items.find((one) => one.name === name)?.versions ?? [];
  const newest = versions[0];
  const hasNewer = newest !== undefined && isOlder(versions, bot.version, newest);
  return (
    <>
      <span className={styles.version}>
        <Link href={`/custom-bots/${name}`} className={styles.custom}>
          {name} <span className="mono">{bot.version}</span>
        </Link>
        {who.scope !== 'read' && versions.length > 1 ? (
          <button type="button" className={styles.open} onClick={() => setOpen(true)}>
            {hasNewer ? (
              <>
                <span className="mono">{newest}</span> available
              </>
            ) : (
              'Other versions'
            )}
          </button>
        ) : null}
      </span>
      <Dialog open={open} title={`Versions of ${bot.name}`} onClose={() => setOpen(false)}>
        <Choice bot={bot} name={name} versions={versions} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

interface ChoiceProps {
  readonly bot: Bot;
  readonly name: string;
  readonly versions: readonly string[];
  readonly onDone: () => void;
}

function Choice({ bot, name, versions, onDone }: ChoiceProps) {
  const { socket } = useHost();
  // The version when the window opened: a button keeps its meaning while somebody else changes the bot.
  const [now] = useState(bot.version);
  const effect = versionEffect(bot);
  const move = useAction(async (version: string) => {
    await socket.call('bots.update', { bot_id: bot.bot_id, version });
    const back = (): void =>
      void socket.call('bots.update', { bot_id: bot.bot_id, version: now }).then(
        () => toastDone(`${bot.name} is on version ${now} again.`),
        (thrown: unknown) => toastFailed(`${bot.name} stays on version ${version}`, thrown),
      );
    toastDone(`${bot.name} is on version ${version}. ${effect.done}`, back);
  });
  const isStale = bot.version !== now && !move.busy;
  const isCopied = bot.reason?.code === COPIED;
  return (
    <div className={styles.choice}>
      <p className={styles.dim}>{effect.before} Config and state stay.</p>
      {isStale ? (
        <p role="status">
          {bot.name} was brought to {bot.version} elsewhere meanwhile. Open this window again.
        </p>
      ) : null}
      <ul className={styles.list}>
        {versions.slice(0, MOST).map((version) => (
          <li key={version}>
            <span className="mono">{version}</span>
            {version === now ? (
              <span className={styles.dim}>in use</span>
            ) : (
              <>
                <Link href={`/custom-bots/${name}/compare?from=${now}&to=${version}`}>What differs</Link>
                <Button
                  kind={version === versions[0] ? 'primary' : 'plain'}
                  busy={move.busy}
                  disabled={isStale || isCopied}
                  onClick={() => void move.run(version).then((done) => done && onDone())}
                >
                  {moveWord(versions, version, [{ version: now }])} to {version}
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      {versions.length > MOST ? (
        <p>
          <Link href={`/custom-bots/${name}/versions`}>All {versions.length} versions</Link>
        </p>
      ) : null}
      {move.error === null ? null : <ErrorNote error={move.error} />}
      <div className={styles.actions}>
        <Button onClick={onDone}>Close</Button>
      </div>
    </div>
  );
}
