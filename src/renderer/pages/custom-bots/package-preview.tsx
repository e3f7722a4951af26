import { useEffect, useRef } from 'react';
import type { PackagePreview as Preview } from '../../../contract/custom-bot.ts';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { Button } from '../../components/button.tsx';
import { InstallSheet } from '../../components/install-sheet.tsx';
import { CHANGE_KINDS } from './change-kinds.ts';
import custom from './custom-bot.module.css';
import styles from './publish.module.css';

const MOST_FILES = 20;

interface PackagePreviewProps {
  readonly fileName: string;
  readonly preview: Preview;
  readonly onPublish: () => void;
  readonly onClose: () => void;
}

/** What a package holds, asks for and changes, before it is published. */
export function PackagePreview({ fileName, preview, onPublish, onClose }: PackagePreviewProps) {
  const { custom_bot: bot, published, changes, warnings } = preview;
  const title = useRef<HTMLHeadingElement>(null);
  // The file was chosen somewhere else on the page, and reading it took a while.
  useEffect(() => title.current?.focus(), []);
  const is = `${bot.name} ${bot.version}`;
  return (
    <section className={styles.preview} aria-labelledby="package-preview">
      <h2 id="package-preview" ref={title} tabIndex={-1}>
        {published ? `${is} is published already` : `Publish ${is}?`}
      </h2>
      <p>{bot.description}</p>
      <dl className={styles.facts}>
        <dt>From</dt>
        <dd>{fileName}</dd>
        {bot.author === '' ? null : (
          <>
            <dt>Author</dt>
            <dd>{bot.author}, as the package says</dd>
          </>
        )}
        <dt>Size</dt>
        <dd>
          {bot.files} files, {formatBytes(bot.size_bytes)}
        </dd>
        <dt>Content hash</dt>
        <dd>
          <code>{bot.hash}</code>
        </dd>
      </dl>
      <h3>Permits</h3>
      <InstallSheet sheet={bot.install_sheet} />
      {published ? null : <Changes name={bot.name} changes={changes} />}
      <Warnings warnings={warnings} />
      <div className={styles.actions}>
        {published ? null : (
          <Button kind="primary" onClick={onPublish}>
            Publish {is}
          </Button>
        )}
        <Button onClick={onClose}>{published ? 'Close' : 'Cancel'}</Button>
        {published ? null : <span className={styles.dim}>No bot runs it until you deploy or update one.</span>}
      </div>
    </section>
  );
}

function Changes({ name, changes }: { readonly name: string; readonly changes: Preview['changes'] }) {
  if (changes === null) return <p className={styles.dim}>There is no version of {name} below it to compare it with.</p>;
  const { from, items, total, settings } = changes;
  if (total === 0) return <p className={styles.dim}>All files are the same as in {from}.</p>;
  const shown = items.slice(0, MOST_FILES);
  return (
    <>
      <h3>Different from {from}</h3>
      {settings.length === 0 ? null : (
        <div className={styles.changes}>
          <p className={styles.dim}>Settings</p>
          <ul className={custom.changes} aria-label="Settings">
            {settings.map((one) => (
              <li key={one.name} data-kind={one.kind}>
                <span className={custom.kind}>{CHANGE_KINDS[one.kind]}</span>
                <code className={styles.path}>{one.name}</code>
                <span className={styles.dim}>{one.what.join('; ')}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className={styles.changes}>
        <p className={styles.dim}>Files</p>
        <ul className={custom.changes} aria-label="Files">
          {shown.map(({ path, kind, before, after }) => (
            <li key={path} data-kind={kind}>
              <span className={custom.kind}>{CHANGE_KINDS[kind]}</span>
              <code className={styles.path}>{path}</code>
              <span className={styles.dim}>
                {[before, after].flatMap((one) => (one === null ? [] : formatBytes(one.size_bytes))).join(' → ')}
              </span>
            </li>
          ))}
        </ul>
      </div>
      {shown.length < total ? <p className={styles.dim}>and {total - shown.length} more files</p> : null}
    </>
  );
}

function Warnings({ warnings }: { readonly warnings: Preview['warnings'] }) {
  if (warnings.length === 0) return null;
  return (
    <>
      <h3>Warnings</h3>
      <ul className={styles.warnings}>
        {warnings.map(({ file, line, message, hint }) => (
          <li key={`${file} ${line} ${message}`}>
            <code>
              {file}:{line}
            </code>{' '}
            {message} <span className={styles.dim}>{hint}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
