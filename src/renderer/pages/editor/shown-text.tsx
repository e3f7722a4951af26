import { Suspense, useState } from 'react';
import { useStore } from 'zustand';
import { LIMITS } from '../../../contract/limits.ts';
import type { ProjectFile } from '../../../contract/project.ts';
import { visibleName } from '../../../shared/visible-name.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import type { OpenFile } from '../../data/project/open-file-state.ts';
import type { ProjectSession } from '../../data/project/project-session.ts';
import styles from './editor.module.css';
import { FileConflict, isComparable } from './file-conflict.tsx';
import type { PaneKeys } from './monaco/panes.tsx';

const TextPane = lazyPart(async () => (await import('./monaco/panes.tsx')).TextPane);
const DiffPane = lazyPart(async () => (await import('./monaco/panes.tsx')).DiffPane);
const MergePane = lazyPart(async () => (await import('./monaco/merge-pane.tsx')).MergePane);

/** A file beside its published version. */
export interface Compared {
  readonly path: string;
  readonly version: string;
  /** null: the version has no such file. */
  readonly before: ProjectFile | null;
}

interface ShownTextProps {
  readonly session: ProjectSession;
  readonly keys: PaneKeys;
  readonly compared: Compared | null;
  readonly onBack: () => void;
}

/** The text of the file that is open, or the two that are compared. */
export function ShownText({ session, keys, compared, onBack }: ShownTextProps) {
  const file = useStore(session.store, ({ files, active }) => files.get(compared?.path ?? active ?? ''));
  // The file whose text is compared with that of another program.
  const [merged, setMerged] = useState<string | null>(null);
  const isMerging = file !== undefined && isComparable(file) && merged === file.path;
  return (
    <>
      {compared === null ? (
        <Notices
          session={session}
          file={file}
          isComparing={isMerging}
          onCompare={(isComparing) => setMerged(isComparing ? (file?.path ?? null) : null)}
        />
      ) : (
        <div className={styles.compared}>
          <p>
            <code>{visibleName(compared.path)}</code>: {compared.version} as published, and as it is here
          </p>
          <Button onClick={onBack}>Back to the text</Button>
        </div>
      )}
      <div className={styles.text}>
        <Suspense fallback={<Skeleton rows={6} label="Loading the editor" />}>
          {compared !== null ? (
            <Comparison compared={compared} file={file} />
          ) : file === undefined ? (
            <Nothing onQuick={keys.quickOpen} />
          ) : isMerging ? (
            <MergePane
              key={file.path}
              path={file.path}
              theirs={file.saved ?? ''}
              mine={file.text}
              onEdit={(text) => session.files.replaceText(file.path, text)}
            />
          ) : (
            <Text session={session} file={file} keys={keys} />
          )}
        </Suspense>
      </div>
    </>
  );
}

interface NoticesProps {
  readonly session: ProjectSession;
  readonly file: OpenFile | undefined;
  readonly isComparing: boolean;
  readonly onCompare: (isComparing: boolean) => void;
}

function Notices({ session, file, isComparing, onCompare }: NoticesProps) {
  if (file === undefined) return null;
  return (
    <>
      <FileConflict session={session} file={file} isComparing={isComparing} onCompare={onCompare} />
      {file.kind === 'read only' ? (
        <p className={styles.readOnly}>
          More than {LIMITS.projectFileBytes / 1024} KiB: the file is shown here, and cannot be changed.
        </p>
      ) : null}
    </>
  );
}

interface TextProps {
  readonly session: ProjectSession;
  readonly file: OpenFile;
  readonly keys: PaneKeys;
}

function Text({ session, file: { path, kind }, keys }: TextProps) {
  const reveal = useStore(session.store, (state) => state.reveal);
  if (kind === 'text' || kind === 'read only') {
    return (
      <TextPane
        key={session.project.project_id}
        session={session}
        path={path}
        readOnly={kind === 'read only'}
        place={reveal}
        keys={keys}
      />
    );
  }
  const name = visibleName(path);
  return kind === 'binary' ? (
    <Empty title={`${name} is not a text file`} />
  ) : (
    <Empty title={`${name} is too large to be shown here`}>
      <p>Files up to {LIMITS.projectShownBytes / 2 ** 20} MiB are shown. Look at it in a terminal.</p>
    </Empty>
  );
}

function Comparison({ compared, file }: { readonly compared: Compared; readonly file: OpenFile | undefined }) {
  const { path, before } = compared;
  const isText = (kind: ProjectFile['kind'] | undefined): boolean =>
    kind === undefined || kind === 'text' || kind === 'read only';
  if (!isText(before?.kind) || !isText(file?.kind)) {
    return <Empty title={`${visibleName(path)} is not the same, and no text that can be compared here`} />;
  }
  return <DiffPane path={path} before={before?.content ?? ''} after={file?.text ?? ''} />;
}

function Nothing({ onQuick }: { readonly onQuick: () => void }) {
  return (
    <div className={styles.nothing}>
      <p>Choose a file on the left, or press</p>
      <button type="button" className={styles.hint} onClick={onQuick}>
        <kbd>Ctrl</kbd> <kbd>P</kbd>
      </button>
      <p>to find one by its name.</p>
    </div>
  );
}
