import { Rocket } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { CustomBotSummary } from '../../../contract/custom-bot.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import table from '../../components/table.module.css';
import { Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useCall } from '../../data/use-call.ts';
import styles from './custom-bots.module.css';
import { DropZone, PublishButton, usePublishing } from './publish.tsx';

/** Published custom bots, from which bots are made. */
export function CustomBots() {
  const { who } = useHost();
  const { data, error, reload } = useCall('custom_bots.list', {});
  const publishing = usePublishing(reload);
  const mayPublish = who.scope !== 'read' && who.bots === null;
  const [text, setText] = useState('');
  const all = data?.items ?? [];
  const words = text.toLowerCase().split(/\s+/);
  const shown = all.filter((one) => {
    const about = `${one.name} ${one.description} ${one.runtime} ${one.type}`.toLowerCase();
    return words.every((word) => about.includes(word));
  });
  return (
    <>
      <header className={styles.head}>
        <h1>Custom bots</h1>
        {all.length === 0 ? null : (
          <input
            className={styles.search}
            type="search"
            placeholder="Search custom bots"
            aria-label="Search custom bots"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        {mayPublish ? (
          <span className={styles.publish}>
            <PublishButton publishing={publishing} />
          </span>
        ) : null}
      </header>
      <DropZone publishing={publishing} isOff={!mayPublish}>
        {error === null ? null : <ErrorNote error={error} />}
        {data === null && error === null ? <Skeleton /> : null}
        {data !== null && all.length === 0 ? (
          <Empty title="Nothing is published yet">
            <p>
              Drop a package (.zip or .tar.gz) here, publish a bot from its folder, or{' '}
              <Link href="/deploy">begin with a sample</Link>.
            </p>
            <CodeBlock label="command" text="npx platform custom-bot deploy" />
          </Empty>
        ) : null}
        {all.length > 0 && shown.length === 0 ? <Empty title="No custom bot matches" /> : null}
        {shown.length === 0 ? null : <Table items={shown} />}
      </DropZone>
    </>
  );
}

function Table({ items }: { readonly items: readonly CustomBotSummary[] }) {
  return (
    <div className={table.scroll}>
      <table className={`${table.table} ${styles.rows}`}>
        <thead>
          <tr>
            <th>Name</th>
            <th className={styles.wide}>Type</th>
            <th className={styles.wide}>Runtime</th>
            <th>Latest</th>
            <th className={`${styles.number} ${styles.wide}`}>Versions</th>
            <th className={styles.number}>Bots</th>
            <th className={styles.wide}>Published</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((one) => (
            <Row key={one.name} item={one} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ item }: { readonly item: CustomBotSummary }) {
  const [, go] = useLocation();
  const zone = usePreferences((one) => one.zone);
  const path = `/custom-bots/${item.name}`;
  return (
    // Keyboards reach the link in the row.
    <tr className={styles.row} onClick={() => go(path)}>
      <td className={styles.about}>
        <Link className={styles.name} href={path} onClick={(event) => event.stopPropagation()}>
          {item.name}
        </Link>
        <p className={styles.description}>{item.description}</p>
      </td>
      <td className={`${styles.dim} ${styles.wide}`}>{item.type}</td>
      <td className={`${styles.dim} ${styles.wide}`}>{item.runtime}</td>
      <td className="mono">{item.latest_version}</td>
      <td className={`${styles.number} ${styles.wide}`}>{item.versions.length}</td>
      <td className={styles.number}>{item.bots}</td>
      <td className={`${styles.dim} ${styles.wide}`}>
        <Time at={item.updated_at} zone={zone} />
      </td>
      <td>
        <Link
          className={styles.tool}
          href={`/deploy?custom_bot=${item.name}`}
          aria-label={`Deploy ${item.name}`}
          title="Deploy"
          onClick={(event) => event.stopPropagation()}
        >
          <Rocket aria-hidden="true" />
        </Link>
      </td>
    </tr>
  );
}
