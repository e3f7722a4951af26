import { Link, useSearch } from 'wouter';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { SourceText } from '../../components/source-text.tsx';
import { useCall } from '../../data/use-call.ts';
import dim from './custom-bot.module.css';
import styles from './files.module.css';
import type { CustomBotTab } from './tab-props.ts';

/** The files of a version, and the text of the one that was chosen. */
export function Files({ version: { name, version } }: CustomBotTab) {
  const search = new URLSearchParams(useSearch());
  const asked = search.get('file');
  const line = Number(search.get('line') ?? 0);
  const { data, error } = useCall('custom_bots.files', { name, version });
  if (error !== null) return <ErrorNote error={error} />;
  if (data === null) return <Skeleton rows={6} />;
  const path = asked ?? data.items.find((one) => one.path === 'bot-config.yaml')?.path ?? data.items[0]?.path;
  const more = data.total - data.items.length;
  return (
    <div className={styles.files}>
      <nav className={styles.list} aria-label={`Files of ${name} ${version}`}>
        <ul>
          {data.items.map((one) => (
            <li key={one.path}>
              <Link
                className={styles.file}
                href={`/custom-bots/${name}/files?version=${version}&file=${encodeURIComponent(one.path)}`}
                replace={true}
                aria-current={one.path === path ? 'true' : undefined}
              >
                <span className={styles.path}>{one.path}</span>
                <span className={styles.size}>{formatBytes(one.size_bytes)}</span>
              </Link>
            </li>
          ))}
        </ul>
        {more === 0 ? null : <p className={styles.more}>and {more} more</p>}
      </nav>
      {path === undefined ? (
        <p className={dim.dim}>It has no files.</p>
      ) : (
        <FileText {...{ name, version, path, line }} />
      )}
    </div>
  );
}

interface FileTextProps {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  /** The line to show, from 1; 0 for none. */
  readonly line: number;
}

function FileText({ name, version, path, line }: FileTextProps) {
  const { data, error, loading } = useCall('custom_bots.file', { name, version, path });
  if (error !== null) return <ErrorNote error={error} />;
  if (data === null) return <Skeleton rows={6} />;
  return (
    <section className={styles.shown} aria-label={data.path} aria-busy={loading}>
      <header className={styles.head}>
        <h2 className={styles.name}>{data.path}</h2>
        <span className={dim.dim}>
          {formatBytes(data.size_bytes)}
          {data.executable ? ', can be run' : ''}
        </span>
        {data.text === null || data.truncated ? null : <CopyButton text={data.text} label="Copy the file" />}
      </header>
      {data.text === null ? (
        <p className={dim.dim}>This is not a text file, so there is nothing to read here.</p>
      ) : (
        <SourceText text={data.text} label={`Text of ${data.path}`} line={line} />
      )}
      {data.truncated ? <p className={dim.dim}>The file goes on; its beginning is shown.</p> : null}
    </section>
  );
}
