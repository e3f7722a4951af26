import { formatBytes } from '../../../shared/format-quantity.ts';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { Time } from '../../components/time.tsx';
import { usePreferences } from '../../data/preferences.ts';
import styles from './custom-bot.module.css';
import type { CustomBotTab } from './tab-props.ts';

/** The readme of a version. */
export function Readme({ version }: CustomBotTab) {
  const zone = usePreferences((one) => one.zone);
  const { metadata } = version;
  const labels = [...(metadata.categories ?? []), ...(metadata.tags ?? [])];
  return (
    <div className={styles.split}>
      {version.readme === null ? (
        <p className={styles.dim}>
          This version has no readme; <code>readme</code> in bot-config.yaml names one.
        </p>
      ) : (
        <Markdown text={version.readme} />
      )}
      <dl className={styles.about}>
        <dt>Published</dt>
        <dd>
          <Time at={version.created_at} zone={zone} />
        </dd>
        <dt>Size</dt>
        <dd>
          {version.files} files, {formatBytes(version.size_bytes)}
        </dd>
        <dt>Program</dt>
        <dd className="mono">{version.entrypoints.bot}</dd>
        <dt>Queries</dt>
        <dd className={version.entrypoints.query === null ? undefined : 'mono'}>
          {version.entrypoints.query ?? 'none'}
        </dd>
        {metadata.complexity === undefined ? null : (
          <>
            <dt>For</dt>
            <dd>{metadata.complexity}</dd>
          </>
        )}
        {labels.length === 0 ? null : (
          <>
            <dt>Labels</dt>
            <dd>{labels.join(', ')}</dd>
          </>
        )}
        <dt>Content</dt>
        <dd className="mono" title={version.hash}>
          {version.hash.slice(0, 12)}
        </dd>
      </dl>
    </div>
  );
}
