import { Upload } from 'lucide-react';
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Output } from '../../../contract/operations.ts';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { InstallSheet } from '../../components/install-sheet.tsx';
import { type HostError, toHostError } from '../../data/host-error.ts';
import { uploadPackage } from '../../data/upload.ts';
import styles from './publish.module.css';

type State =
  | { readonly at: 'rest' }
  | { readonly at: 'sending'; readonly file: File; readonly part: number }
  | { readonly at: 'done'; readonly published: Output<'custom_bots.publish'> }
  | { readonly at: 'failed'; readonly name: string; readonly error: HostError };

/** A package that is being published, and what came of the last one. */
export interface Publishing {
  readonly state: State;
  readonly send: (file: File) => void;
  readonly cancel: () => void;
  readonly clear: () => void;
}

/** Publishes packages, one at a time. `onDone` hears of each that the host has taken. */
export function usePublishing(onDone: () => void): Publishing {
  const [state, setState] = useState<State>({ at: 'rest' });
  const under = useRef<AbortController | null>(null);
  useEffect(() => () => under.current?.abort(), []);
  const send = (file: File): void => {
    if (under.current !== null) return;
    const controller = new AbortController();
    under.current = controller;
    setState({ at: 'sending', file, part: 0 });
    uploadPackage(file, (part) => setState({ at: 'sending', file, part }), controller.signal)
      .then(
        (published) => {
          setState({ at: 'done', published });
          onDone();
        },
        (thrown) =>
          setState(
            controller.signal.aborted ? { at: 'rest' } : { at: 'failed', name: file.name, error: toHostError(thrown) },
          ),
      )
      .finally(() => {
        under.current = null;
      });
  };
  return { state, send, cancel: () => under.current?.abort(), clear: () => setState({ at: 'rest' }) };
}

/** Opens the choice of a file. */
export function PublishButton({ publishing }: { readonly publishing: Publishing }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        icon={<Upload aria-hidden="true" />}
        disabled={publishing.state.at === 'sending'}
        onClick={() => input.current?.click()}
      >
        Publish…
      </Button>
      <input
        ref={input}
        className={styles.file}
        type="file"
        accept=".gz,.tgz,application/gzip"
        aria-label="Package to publish"
        tabIndex={-1}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) publishing.send(file);
          // The same file can be chosen again after a fix.
          target.value = '';
        }}
      />
    </>
  );
}

const holdsFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');

/** A part of the page on which a package can be dropped. */
export function DropZone({
  publishing,
  isOff,
  children,
}: {
  readonly publishing: Publishing;
  /** The user may only view, not publish. */
  readonly isOff: boolean;
  readonly children: ReactNode;
}) {
  const [over, setOver] = useState(false);
  const onOver = (event: DragEvent): void => {
    if (isOff || !holdsFiles(event)) return;
    // Without this the browser would open the file in place of the page.
    event.preventDefault();
    setOver(true);
  };
  return (
    <section
      className={styles.zone}
      aria-label="Custom bots"
      data-over={over}
      onDragEnter={onOver}
      onDragOver={onOver}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
      }}
      onDrop={(event) => {
        if (isOff || !holdsFiles(event)) return;
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer.files[0];
        if (file !== undefined) publishing.send(file);
      }}
    >
      {over ? (
        <p className={styles.hint} aria-hidden="true">
          Drop the package (.tar.gz) to publish it
        </p>
      ) : null}
      <PublishState publishing={publishing} />
      {children}
    </section>
  );
}

function PublishState({ publishing: { state, cancel, clear } }: { readonly publishing: Publishing }) {
  if (state.at === 'rest') return null;
  if (state.at === 'failed') {
    return (
      <div className={styles.failed}>
        <p>
          <strong>{state.name}</strong> was not published. <Button onClick={clear}>Close</Button>
        </p>
        <ErrorNote error={state.error} />
      </div>
    );
  }
  if (state.at === 'sending') {
    const { file, part } = state;
    const words = part < 1 ? `${Math.floor(part * 100)} % of ${formatBytes(file.size)}` : 'The host checks it …';
    return (
      <div className={styles.state}>
        <span className={styles.words}>
          <strong>{file.name}</strong> <span role="status">{words}</span>
        </span>
        <progress
          className={styles.bar}
          aria-label={`Publishing ${file.name}`}
          max={1}
          {...(part < 1 ? { value: part } : {})}
        />
        <Button onClick={cancel}>Cancel</Button>
      </div>
    );
  }
  const { custom_bot: bot, created, warnings } = state.published;
  return (
    <div className={styles.state}>
      <span className={styles.words} role="status">
        <Link href={`/custom-bots/${bot.name}?version=${bot.version}`}>
          {bot.name} {bot.version}
        </Link>{' '}
        {created ? 'is published.' : 'is published already, with the same content.'}
      </span>
      <Link href={`/deploy?custom_bot=${bot.name}&version=${bot.version}`}>Deploy it</Link>
      <Button onClick={clear}>Close</Button>
      <section aria-label="Permits" className={styles.permits}>
        <h2>Permits</h2>
        <InstallSheet sheet={bot.install_sheet} />
      </section>
      {warnings.length === 0 ? null : (
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
      )}
    </div>
  );
}
