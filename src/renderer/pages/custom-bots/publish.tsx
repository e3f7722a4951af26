import { Upload } from 'lucide-react';
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { PackagePreview as Preview } from '../../../contract/custom-bot.ts';
import type { Output } from '../../../contract/operations.ts';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { HostError, toHostError } from '../../data/host-error.ts';
import { inspectPackage, publishPackage } from '../../data/upload.ts';
import { PackagePreview } from './package-preview.tsx';
import styles from './publish.module.css';

type State =
  | { readonly at: 'rest' }
  | { readonly at: 'sending'; readonly file: File; readonly part: number; readonly publishes: boolean }
  | { readonly at: 'asking'; readonly file: File; readonly preview: Preview }
  | { readonly at: 'done'; readonly published: Output<'custom_bots.publish'> }
  | { readonly at: 'failed'; readonly name: string; readonly error: HostError };

/** A package on its way to be published, and what came of the last one. */
export interface Publishing {
  readonly state: State;
  /** Has the host look at a package, which is then shown. */
  readonly look: (file: File) => void;
  /** Publishes the package that is shown. */
  readonly publish: () => void;
  readonly refuse: (name: string, error: HostError) => void;
  readonly cancel: () => void;
  readonly clear: () => void;
}

/** Publishes packages, one at a time, each once it was shown. `onDone` hears of each that the host has taken. */
export function usePublishing(onDone: () => void): Publishing {
  const [state, setState] = useState<State>({ at: 'rest' });
  const under = useRef<AbortController | null>(null);
  useEffect(() => () => under.current?.abort(), []);
  const send = (
    file: File,
    publishes: boolean,
    work: (sent: (part: number) => void, signal: AbortSignal) => Promise<State>,
  ): void => {
    if (under.current !== null) return;
    const controller = new AbortController();
    under.current = controller;
    const sent = (part: number): void => setState({ at: 'sending', file, part, publishes });
    sent(0);
    work(sent, controller.signal)
      .then(setState, (thrown) =>
        setState(
          controller.signal.aborted ? { at: 'rest' } : { at: 'failed', name: file.name, error: toHostError(thrown) },
        ),
      )
      .finally(() => {
        under.current = null;
      });
  };
  const look = (file: File): void =>
    send(file, false, async (sent, signal) => {
      const preview = await inspectPackage({ file, sent, signal });
      return { at: 'asking', file, preview };
    });
  const publish = (): void => {
    if (state.at !== 'asking') return;
    const { file, preview } = state;
    send(file, true, async (sent, signal) => {
      // What was shown is what is published, even if another program has written the file meanwhile.
      const published = await publishPackage(preview.custom_bot.hash, { file, sent, signal });
      onDone();
      return { at: 'done', published };
    });
  };
  return {
    state,
    look,
    publish,
    refuse: (name, error) => setState({ at: 'failed', name, error }),
    cancel: () => under.current?.abort(),
    clear: () => setState({ at: 'rest' }),
  };
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
        accept=".zip,.gz,.tgz,.tar"
        aria-label="Package to publish"
        tabIndex={-1}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) publishing.look(file);
          // The same file can be chosen again after a fix.
          target.value = '';
        }}
      />
    </>
  );
}

const holdsFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');

/** What keeps dropped files from being a package, before any of them is read. */
function dropFault({ dataTransfer: { files, items } }: DragEvent): HostError | null {
  const refused = (message: string, hint: string): HostError =>
    new HostError({ code: 'INVALID_PACKAGE', message, hint, details: null, request_id: null });
  if (files.length > 1) return refused(`${files.length} files were dropped`, 'Drop one package at a time.');
  return items[0]?.webkitGetAsEntry()?.isDirectory === true
    ? refused('It is a folder', 'Make a zip of the folder, and drop that.')
    : null;
}

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
        const [file] = event.dataTransfer.files;
        if (file === undefined || publishing.state.at === 'sending') return;
        const fault = dropFault(event);
        if (fault === null) publishing.look(file);
        else publishing.refuse(file.name, fault);
      }}
    >
      {over ? (
        <p className={styles.hint} aria-hidden="true">
          Drop the package (.zip, .tar.gz) to look at it
        </p>
      ) : null}
      <PublishState publishing={publishing} />
      {children}
    </section>
  );
}

function PublishState({ publishing: { state, publish, cancel, clear } }: { readonly publishing: Publishing }) {
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
  if (state.at === 'asking') {
    return <PackagePreview fileName={state.file.name} preview={state.preview} onPublish={publish} onClose={clear} />;
  }
  if (state.at === 'sending') {
    const { file, part, publishes } = state;
    const words = part < 1 ? `${Math.floor(part * 100)} % of ${formatBytes(file.size)}` : 'The host checks it …';
    return (
      <div className={styles.state}>
        <span className={styles.words}>
          <strong>{file.name}</strong> <span role="status">{words}</span>
        </span>
        <progress
          className={styles.bar}
          aria-label={`${publishes ? 'Publishing' : 'Looking at'} ${file.name}`}
          max={1}
          {...(part < 1 ? { value: part } : {})}
        />
        <Button onClick={cancel}>Cancel</Button>
      </div>
    );
  }
  const { custom_bot: bot, created } = state.published;
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
    </div>
  );
}
