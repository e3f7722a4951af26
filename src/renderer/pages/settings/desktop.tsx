import { Download, RefreshCw, Terminal, Trash2 } from 'lucide-react';
import type { DesktopBridge, DesktopCommand, DesktopUpdate } from '../../../contract/desktop-bridge.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Switch } from '../../components/switch.tsx';
import { Ago } from '../../components/time.tsx';
import { type DesktopControls, desktopApp, useDesktopSettings } from '../../data/desktop.ts';
import styles from './settings.module.css';

/** Settings of the desktop app around this page, for this machine. */
export function DesktopSection() {
  const app = desktopApp();
  if (app === null) {
    return (
      <Empty title="These settings belong to the desktop app">
        <p>This page is shown by a browser. Open them in the window of the app, on the machine that it runs on.</p>
      </Empty>
    );
  }
  return <Controls app={app} />;
}

function Controls({ app }: { readonly app: DesktopBridge }) {
  const controls = useDesktopSettings(app);
  const { settings, problem, changing, change } = controls;
  if (settings === null) return problem === null ? <Skeleton rows={6} /> : <ErrorNote error={problem.error} />;
  return (
    <>
      <Section title="Desktop app" about="Kept on this machine alone.">
        <Trouble of={problem} with="starts_at_login" />
        <Trouble of={problem} with="notifications" />
        <div className={`${styles.box} ${styles.stack}`}>
          <Switch
            label="Start at login"
            hint="It starts in the tray, without its window, and your bots with it."
            on={settings.starts_at_login}
            disabled={changing !== null}
            onChange={(on) => change({ starts_at_login: on })}
          />
          <Switch
            label="Notifications"
            hint="When a bot fails, at most once in ten minutes for each. The menu of a bot mutes that one."
            on={settings.notifications}
            disabled={changing !== null}
            onChange={(on) => change({ notifications: on })}
          />
        </div>
      </Section>
      <Command command={settings.command} {...controls} />
      <Version version={settings.version} update={settings.update} {...controls} />
    </>
  );
}

/** Error of a change, beside the control that was used. */
function Trouble({ of, with: name }: { readonly of: DesktopControls['problem']; readonly with: string }) {
  return of?.change !== undefined && name in of.change ? <ErrorNote error={of.error} /> : null;
}

const COMMAND_WORDS: Readonly<Record<DesktopCommand['at'], string>> = {
  there: 'It is there.',
  missing: 'Not there yet.',
  outdated: 'It is there, and leads to another copy of this product.',
  foreign: 'Another program has this name; it is left alone.',
  impossible: 'This installation cannot bring it along: its files move with each start. Install the .deb, or use npm.',
};

/** Everything before the last part of a path. */
const folderOf = (file: string): string => file.replace(/[\\/][^\\/]*$/, '');

function Command({ command, problem, changing, change }: DesktopControls & { readonly command: DesktopCommand }) {
  const { at, file, on_path } = command;
  const isOurs = at === 'there' || at === 'outdated';
  const busyWith = changing !== null && 'command' in changing ? changing.command : null;
  return (
    <Section
      title="Command line"
      about={
        <>
          The command <code>platform</code>, with the Node of this app.
        </>
      }
    >
      <Trouble of={problem} with="command" />
      <div className={`${styles.box} ${styles.row}`}>
        <div className={styles.told}>
          {file === '' ? null : <code className={styles.path}>{file}</code>}
          <p className={styles.dim}>
            {COMMAND_WORDS[at]}{' '}
            {!isOurs ? null : on_path ? (
              'New terminals find it.'
            ) : (
              <>
                Add <code>{folderOf(file)}</code> to your PATH, then new terminals find it.
              </>
            )}
          </p>
        </div>
        {at === 'missing' || at === 'outdated' ? (
          <Button
            icon={<Terminal aria-hidden="true" />}
            busy={busyWith === true}
            disabled={changing !== null}
            onClick={() => change({ command: true })}
          >
            {at === 'missing' ? 'Install' : 'Use this copy'}
          </Button>
        ) : null}
        {isOurs ? (
          <Button
            icon={<Trash2 aria-hidden="true" />}
            busy={busyWith === false}
            disabled={changing !== null}
            onClick={() => change({ command: false })}
          >
            Remove
          </Button>
        ) : null}
      </div>
    </Section>
  );
}

function UpdateWords({ update }: { readonly update: DesktopUpdate }) {
  switch (update.at) {
    case 'never':
      return 'This installation does not look for new versions.';
    case 'checking':
      return 'Looking for a new version…';
    case 'newest':
      return (
        <>
          The newest, as of <Ago at={update.checked_at} />.
        </>
      );
    case 'fetching':
      return `Version ${update.version} is being fetched.`;
    case 'ready':
      return `Version ${update.version} is here. It is installed when no bot runs; you are asked first.`;
    case 'failed':
      return (
        <>
          It could not look for new versions (<Ago at={update.checked_at} />
          ): {update.message}
        </>
      );
  }
}

function Version({
  version,
  update,
  problem,
  changing,
  change,
}: DesktopControls & { readonly version: string; readonly update: DesktopUpdate }) {
  const isLooking = update.at === 'checking' || update.at === 'fetching';
  return (
    <Section title="Version">
      <Trouble of={problem} with="update" />
      <div className={`${styles.box} ${styles.row}`}>
        <div className={styles.told}>
          <p>
            Bot Platform <span className="mono">{version}</span>
          </p>
          <p className={styles.dim} role="status">
            <UpdateWords update={update} />
          </p>
        </div>
        {update.at === 'ready' ? (
          <Button
            kind="primary"
            icon={<Download aria-hidden="true" />}
            disabled={changing !== null}
            onClick={() => change({ update: 'install' })}
          >
            Install…
          </Button>
        ) : update.at === 'never' ? null : (
          <Button
            icon={<RefreshCw aria-hidden="true" />}
            busy={isLooking}
            disabled={changing !== null}
            onClick={() => change({ update: 'check' })}
          >
            Check now
          </Button>
        )}
      </div>
    </Section>
  );
}
