import { Check, Play, Rocket, Square, Upload, X } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useStore } from 'zustand';
import type { CustomBotVersion } from '../../../contract/custom-bot.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { HostError } from '../../data/host-error.ts';
import type { ProjectSession } from '../../data/project/project-session.ts';
import { type Action, useAction } from '../../data/use-call.ts';
import { deployPath } from '../deploy/deploy.tsx';
import styles from './editor.module.css';

interface Published {
  readonly bot: CustomBotVersion;
  readonly created: boolean;
}

/** Actions on the whole project. */
export interface ProjectActions {
  readonly run: Action<[]>;
  readonly publish: Action<[]>;
  readonly deploy: Action<[]>;
  readonly published: Published | null;
  readonly isRunning: boolean;
  readonly toggleRun: () => void;
  readonly clear: () => void;
}

export function useActions(session: ProjectSession, onRun: () => void): ProjectActions {
  const [, go] = useLocation();
  const status = useStore(session.store, ({ run }) => run?.status ?? 'ended');
  const [published, setPublished] = useState<Published | null>(null);
  const run = useAction(async () => {
    onRun();
    await (status === 'ended' ? session.run() : session.stop());
  });
  const publish = useAction(async () => {
    setPublished(null);
    const { custom_bot, created } = await session.publish();
    setPublished({ bot: custom_bot, created });
  });
  const deploy = useAction(async () => {
    await session.saveForUse();
    const { name, version } = await session.changes();
    if (version === null) throw unpublished(name);
    go(deployPath(name, version, session.project.project_id));
  });
  return {
    run,
    publish,
    deploy,
    published,
    isRunning: status !== 'ended',
    toggleRun: () => {
      if (!run.busy) void run.run();
    },
    clear: () => {
      setPublished(null);
      for (const one of [run, publish, deploy]) one.clear();
    },
  };
}

function unpublished(name: string): HostError {
  return new HostError({
    code: 'CUSTOM_BOT_NOT_FOUND',
    message: `${name} is not published yet`,
    hint: 'Publish a version first; bots run published versions only.',
    details: null,
    request_id: null,
  });
}

interface ActionsProps {
  readonly session: ProjectSession;
  readonly actions: ProjectActions;
  readonly dirtyCount: number;
}

/** Head of the editor: the project, and the actions on it. */
export function Actions({ session, actions, dirtyCount }: ActionsProps) {
  const { run, publish, deploy, published, isRunning } = actions;
  const step = useStore(session.store, (one) => one.publish);
  const isKept = useStore(session.store, (one) => one.isKept);
  const { name, dir } = session.project;
  const error = run.error ?? publish.error ?? deploy.error;
  return (
    <header className={styles.head}>
      <div className={styles.bar}>
        <div className={styles.project}>
          <h1 title={dir}>{name}</h1>
          <Link href="/editor">Other project</Link>
          <span className={styles.saved} role="status">
            {dirtyCount === 0 ? 'All saved' : `${dirtyCount} not saved${isKept ? '' : ', nor kept in this browser'}`}
          </span>
        </div>
        <Button
          icon={isRunning ? <Square aria-hidden="true" /> : <Play aria-hidden="true" />}
          busy={run.busy}
          title={`${isRunning ? 'Stop the run' : 'Run it here, without publishing'} (Ctrl+Shift+Enter)`}
          onClick={actions.toggleRun}
        >
          {isRunning ? 'Stop' : 'Run locally'}
        </Button>
        <Button
          kind="primary"
          icon={<Upload aria-hidden="true" />}
          busy={publish.busy}
          onClick={() => void publish.run()}
        >
          Publish version
        </Button>
        <Button icon={<Rocket aria-hidden="true" />} busy={deploy.busy} onClick={() => void deploy.run()}>
          Deploy
        </Button>
      </div>
      {publish.busy ? (
        <p className={styles.step} role="status">
          {step?.text ?? 'Saving'}
          {step?.fraction === null || step === null ? null : <progress value={step.fraction} />}
        </p>
      ) : null}
      {published === null ? null : (
        <p className={styles.done} role="status">
          <Check aria-hidden="true" />
          <span>
            {published.bot.name} {published.bot.version}{' '}
            {published.created ? 'is published.' : 'was published before, with the same content.'}
          </span>
          <Link href={deployPath(published.bot.name, published.bot.version, session.project.project_id)}>
            Deploy it
          </Link>
          <Link href={`/custom-bots/${published.bot.name}/bots`}>Bring bots to it</Link>
          <CloseButton onClick={actions.clear} />
        </p>
      )}
      {error === null ? null : (
        <div className={styles.error}>
          <ErrorNote error={error} />
          <CloseButton onClick={actions.clear} />
        </div>
      )}
    </header>
  );
}

function CloseButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" className={styles.icon} aria-label="Put this message away" onClick={onClick}>
      <X aria-hidden="true" />
    </button>
  );
}
