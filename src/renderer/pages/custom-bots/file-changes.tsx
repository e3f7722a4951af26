import { useState } from 'react';
import type { VersionChange } from '../../../contract/custom-bot.ts';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { Choice } from '../../components/choice.tsx';
import { type DiffLayout, DiffView } from '../../components/diff-view.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCall } from '../../data/use-call.ts';
import { CHANGE_KINDS } from './change-kinds.ts';
import styles from './custom-bot.module.css';
import own from './file-changes.module.css';

const LAYOUTS = [
  { value: 'unified', label: 'One column' },
  { value: 'split', label: 'Side by side' },
] as const;
/** Most differences that are opened at once; the user opens more one by one. */
const OPEN_AT_FIRST = 3;

interface FileChangesProps {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Files that differ between two versions, each with its lines. */
export function FileChanges({ name, from, to }: FileChangesProps) {
  const { data, error } = useCall('custom_bots.diff', { name, from, to });
  const [layout, setLayout] = useState<DiffLayout>('unified');
  if (data === null) return error === null ? <Skeleton /> : <ErrorNote error={error} />;
  const { items, total } = data;
  return (
    <section className={styles.part} aria-label="Files">
      <div className={own.head}>
        <h2>Files</h2>
        <span className={styles.dim}>
          {total === 0 ? 'All files are the same.' : `${total} ${total === 1 ? 'is' : 'are'} different`}
        </span>
        {total === 0 ? null : <Choice label="Layout" options={LAYOUTS} value={layout} onChange={setLayout} />}
      </div>
      {error === null ? null : <ErrorNote error={error} />}
      <div className={own.list}>
        {items.map((change) => (
          <FileChange
            key={`${from} ${to} ${change.path}`}
            {...{ name, from, to, change, layout }}
            first={items.length <= OPEN_AT_FIRST}
          />
        ))}
      </div>
      {items.length < total ? <p className={styles.dim}>and {total - items.length} more</p> : null}
    </section>
  );
}

interface FileChangeProps extends FileChangesProps {
  readonly change: VersionChange;
  readonly layout: DiffLayout;
  /** True for an entry that is open from the start. */
  readonly first: boolean;
}

function FileChange({ change, first, ...rest }: FileChangeProps) {
  const [open, setOpen] = useState(first);
  const sizes = [change.before, change.after].flatMap((one) => (one === null ? [] : formatBytes(one.size_bytes)));
  return (
    <details className={own.file} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className={own.kind} data-kind={change.kind}>
          {CHANGE_KINDS[change.kind]}
        </span>
        <code className={own.path}>{change.path}</code>
        <span className={styles.dim}>{[...new Set(sizes)].join(' → ')}</span>
      </summary>
      {open ? <Lines change={change} {...rest} /> : null}
    </details>
  );
}

function Lines({ name, from, to, change, layout }: Omit<FileChangeProps, 'first'>) {
  const { path } = change;
  const before = useCall('custom_bots.file', change.before === null ? null : { name, version: from, path });
  const after = useCall('custom_bots.file', change.after === null ? null : { name, version: to, path });
  const error = before.error ?? after.error;
  if (error !== null) return <ErrorNote error={error} />;
  const waits = (change.before !== null && before.data === null) || (change.after !== null && after.data === null);
  if (waits) return <Skeleton />;
  const told = (text: string) => <p className={own.told}>{text}</p>;
  if (before.data?.text === null || after.data?.text === null) return told('This is not a text file.');
  const left = before.data?.text ?? '';
  const right = after.data?.text ?? '';
  const runs = change.after?.executable;
  return (
    <>
      {change.before !== null && runs !== undefined && change.before.executable !== runs
        ? told(runs ? 'It is executable now.' : 'It is no longer executable.')
        : null}
      {left === right ? null : <DiffView before={left} after={right} layout={layout} label={`Changes of ${path}`} />}
      {before.data?.truncated === true || after.data?.truncated === true
        ? told('The file is longer; only its beginning was compared.')
        : null}
    </>
  );
}
