import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useFleet } from '../../data/fleet.ts';
import { leaveThen } from '../../data/unsaved.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import styles from './deploy.module.css';
import { DeployForm } from './deploy-form.tsx';
import { type Start, startWith } from './draft.ts';
import { Picker } from './picker.tsx';

/** Address of the form that deploys a version, starting from the instance.json of an editor project if given. */
export function deployPath(name: string, version?: string, project?: string): string {
  const query = new URLSearchParams({
    custom_bot: name,
    ...(version === undefined ? {} : { version }),
    ...(project === undefined ? {} : { project }),
  });
  return `/deploy?${query}`;
}

/** Makes a bot of a custom bot: what, under which name, with which settings, when, within which limits. */
export function Deploy() {
  const { socket, who } = useHost();
  const [, go] = useLocation();
  const asked = new URLSearchParams(useSearch());
  const customBots = useCall('custom_bots.list', {});
  const samples = useCall('samples.list', {});
  const [sample, setSample] = useState<{ readonly of: string; readonly start: Start } | null>(null);
  const publish = useAction(async (wanted: string) => {
    const { instance } = await socket.call('samples.publish', { name: wanted });
    const of = instance.type.split('/')[1] ?? wanted;
    const { name, config = {}, schedule = null } = instance;
    setSample({ of, start: { ...startWith(config), name, schedule } });
    customBots.reload();
    go(deployPath(of, instance.version));
  });
  const list = customBots.data?.items ?? null;
  const wanted = asked.get('custom_bot');
  const chosen =
    wanted === null ? (list?.length === 1 ? list[0] : undefined) : list?.find((one) => one.name === wanted);
  const version = asked.get('version') ?? chosen?.latest_version;
  // A sample that is published already begins with the host's own prices, too, not with those of a server elsewhere.
  const isSample = samples.data?.items.some((one) => one.name === chosen?.name && one.version === version) === true;
  const project = asked.get('project');
  const instance = useCall('projects.instance', project === null ? null : { project_id: project });
  const likeId = asked.get('like');
  const fleet = useFleet((one) => one.bots);
  const like = likeId === null ? undefined : fleet?.get(likeId);
  const isReading =
    (project !== null && instance.loading && instance.data === null) || (likeId !== null && fleet === null);
  const error = customBots.error ?? samples.error ?? publish.error ?? (project === null ? null : instance.error);
  if (who.scope === 'read') return <Empty title="This log-in can view bots, but not deploy any" />;
  return (
    <div className={styles.place}>
      <header className={styles.head}>
        <h1>Deploy a bot</h1>
      </header>
      {error === null ? null : <ErrorNote error={error} />}
      {list === null ? (
        customBots.error === null ? (
          <Skeleton rows={5} />
        ) : null
      ) : (
        <>
          <Picker
            customBots={list}
            samples={samples.data?.items ?? []}
            chosen={chosen ?? null}
            version={version ?? null}
            busy={publish.busy}
            mayWrite={who.user.role === 'owner' && who.scope === 'full'}
            missing={chosen === undefined && !customBots.loading ? wanted : null}
            onChoose={(name, next) => go(deployPath(name, next), { replace: true })}
            onSample={(name) => leaveThen(() => void publish.run(name))}
          />
          {publish.busy ? <Skeleton rows={6} label="Publishing the sample" /> : null}
          {publish.busy ||
          chosen === undefined ||
          version === undefined ||
          isReading ||
          (samples.loading && samples.data === null) ? null : (
            <DeployForm
              key={`${chosen.name} ${like?.bot_id ?? ''}`}
              name={chosen.name}
              version={version}
              isSample={isSample}
              like={like ?? null}
              start={
                project === null
                  ? sample?.of === chosen.name
                    ? sample.start
                    : null
                  : (instance.data?.instance ?? null)
              }
            />
          )}
        </>
      )}
    </div>
  );
}
