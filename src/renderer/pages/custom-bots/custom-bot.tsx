import { Pencil, Rocket } from 'lucide-react';
import { type ComponentType, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { CustomBotSummary, DescribedVersion } from '../../../contract/custom-bot.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useHereInSight } from '../../components/use-scroll-into-view.ts';
import { useHost } from '../../data/connection-and-user.ts';
import { useCall } from '../../data/use-call.ts';
import { Bots } from './bots.tsx';
import { Compare } from './compare.tsx';
import styles from './custom-bot.module.css';
import { EditVersion } from './edit-version.tsx';
import { Files } from './files.tsx';
import { Readme } from './readme-and-facts.tsx';
import { Settings } from './settings.tsx';
import type { CustomBotTab } from './tab-props.ts';
import { Versions } from './versions.tsx';

interface Tab {
  readonly id: string;
  readonly label: string;
  readonly show: ComponentType<CustomBotTab>;
}

const TABS: readonly Tab[] = [
  { id: 'readme', label: 'Readme', show: Readme },
  { id: 'settings', label: 'Settings', show: Settings },
  { id: 'files', label: 'Files', show: Files },
  { id: 'bots', label: 'Bots', show: Bots },
  { id: 'versions', label: 'Versions', show: Versions },
  { id: 'compare', label: 'Compare', show: Compare },
];

/** One custom bot: its description, its settings, its instances, and the differences of its versions. */
export function CustomBot({ name, tab }: { readonly name: string; readonly tab: string }) {
  const asked = new URLSearchParams(useSearch()).get('version');
  const list = useCall('custom_bots.list', {});
  const summary = list.data?.items.find((one) => one.name === name);
  const wanted = asked ?? summary?.latest_version;
  const about = useCall('custom_bots.get', wanted === undefined ? null : { name, version: wanted });
  const tabs = useHereInSight(about.data === null ? '' : tab);
  const error = list.error ?? about.error;
  if (list.data !== null && summary === undefined) {
    return (
      <Empty title={`There is no custom bot “${name}”`}>
        <Link href="/custom-bots">To the custom bots</Link>
      </Empty>
    );
  }
  if (summary === undefined || about.data === null)
    return error === null ? (
      <Skeleton rows={6} />
    ) : (
      <div className={styles.stack}>
        <h1>{name}</h1>
        <ErrorNote error={error} />
      </div>
    );
  const chosen = TABS.find((one) => one.id === tab) ?? TABS[0];
  if (chosen === undefined) return null;
  const Show = chosen.show;
  return (
    <>
      <Head summary={summary} version={about.data} tab={chosen.id} />
      {error === null ? null : <ErrorNote error={error} />}
      <nav ref={tabs} className={styles.tabs} aria-label={`Tabs of ${name}`}>
        {TABS.map(({ id, label }) => (
          <Link
            key={id}
            href={`/custom-bots/${name}${id === 'readme' ? '' : `/${id}`}${asked === null ? '' : `?version=${asked}`}`}
            className={styles.tab}
            aria-current={id === chosen.id ? 'page' : undefined}
          >
            {label}
            {id === 'bots' && summary.bots > 0 ? <span className={styles.count}>{summary.bots}</span> : null}
            {id === 'versions' ? <span className={styles.count}>{summary.versions.length}</span> : null}
          </Link>
        ))}
      </nav>
      <Show summary={summary} version={about.data} reload={list.reload} />
    </>
  );
}

interface HeadProps {
  readonly summary: CustomBotSummary;
  readonly version: DescribedVersion;
  readonly tab: string;
}

function Head({ summary, version, tab }: HeadProps) {
  const { who } = useHost();
  const [, go] = useLocation();
  const [isEditing, setEditing] = useState(false);
  const mayEdit = who.user.role === 'owner' && who.scope === 'full';
  const path = `/custom-bots/${summary.name}${tab === 'readme' ? '' : `/${tab}`}`;
  return (
    <header className={styles.head}>
      <div className={styles.title}>
        <h1>{summary.name}</h1>
        <p className={styles.dim}>{version.description}</p>
        <p className={styles.facts}>
          <span>{version.type}</span>
          <span>{version.runtime}</span>
          {version.author === '' ? null : <span>by {version.author}</span>}
        </p>
      </div>
      <div className={styles.actions}>
        <select
          className={styles.select}
          aria-label="Version"
          value={version.version}
          onChange={({ target }) => go(`${path}?version=${target.value}`)}
        >
          {summary.versions.map((one, i) => (
            <option key={one} value={one}>
              {one}
              {i === 0 ? ' (latest)' : ''}
            </option>
          ))}
        </select>
        {mayEdit ? (
          <Button icon={<Pencil aria-hidden="true" />} onClick={() => setEditing(true)}>
            Edit in editor
          </Button>
        ) : null}
        {who.scope === 'read' ? null : (
          <Link
            className={tab === 'bots' ? styles.plain : styles.primary}
            href={`/deploy?custom_bot=${summary.name}&version=${version.version}`}
          >
            <Rocket aria-hidden="true" /> Deploy
          </Link>
        )}
      </div>
      <EditVersion
        edited={{ name: summary.name, version: version.version }}
        open={isEditing}
        onClose={() => setEditing(false)}
      />
    </header>
  );
}
