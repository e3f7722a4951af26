import { Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { saveFile } from '../../components/save-file.ts';
import frame from '../../components/table.module.css';
import { Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useFleet } from '../../data/fleet.ts';
import { usePreferences } from '../../data/preferences.ts';
import { downloadPackage } from '../../data/upload.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { botsOf, countOf } from './bots-of-custom-bot.ts';
import styles from './custom-bot.module.css';
import table from './custom-bots.module.css';
import type { CustomBotTab } from './tab-props.ts';

const FIRST = 20;

/** Every version with what runs it; what nothing runs can be removed. */
export function Versions({ summary, reload }: CustomBotTab) {
  const { socket, who } = useHost();
  const fleet = useFleet((one) => one.bots);
  const [all, setAll] = useState(false);
  const [asked, setAsked] = useState<string | null>(null);
  const removal = useAction(async (version: string) => {
    await socket.call('custom_bots.delete', { name: summary.name, version });
    reload();
  });
  const exporting = useAction(async (version: string) => {
    saveFile(`${summary.name}-${version}.tar.gz`, await downloadPackage(summary.name, version));
  });
  const error = removal.error ?? exporting.error;
  const bots = botsOf(fleet?.values() ?? [], summary.name);
  const shown = all ? summary.versions : summary.versions.slice(0, FIRST);
  return (
    <div className={styles.stack}>
      {error === null ? null : <ErrorNote error={error} />}
      <div className={frame.scroll}>
        <table className={`${frame.table} ${table.rows}`}>
          <thead>
            <tr>
              <th>Version</th>
              <th>Published</th>
              <th className={table.number}>Size</th>
              <th className={table.number}>Bots</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((version, i) => (
              <VersionRow
                key={version}
                name={summary.name}
                version={version}
                before={summary.versions[i + 1]}
                bots={bots.filter((bot) => bot.version === version).length}
                mayChange={who.scope !== 'read'}
                busy={removal.busy || exporting.busy}
                onExport={() => void exporting.run(version)}
                onRemove={() => setAsked(version)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < summary.versions.length ? (
        <div>
          <Button onClick={() => setAll(true)}>Show all {summary.versions.length}</Button>
        </div>
      ) : null}
      {asked === null ? null : (
        <Confirm
          open={true}
          title={`Remove ${summary.name} ${asked}?`}
          label="Remove the version"
          busy={removal.busy}
          onConfirm={() => void removal.run(asked).then(() => setAsked(null))}
          onCancel={() => setAsked(null)}
        >
          <p>No bot runs it. Its files go; publishing the same project again brings it back.</p>
          {summary.versions.length === 1 ? <p>It is the only version: {summary.name} goes with it.</p> : null}
        </Confirm>
      )}
    </div>
  );
}

interface RowProps {
  readonly name: string;
  readonly version: string;
  /** The one before it, to compare with. */
  readonly before: string | undefined;
  readonly bots: number;
  readonly mayChange: boolean;
  readonly busy: boolean;
  readonly onExport: () => void;
  readonly onRemove: () => void;
}

function VersionRow({ name, version, before, bots, mayChange, busy, onExport, onRemove }: RowProps) {
  const { data } = useCall('custom_bots.get', { name, version });
  const zone = usePreferences((one) => one.zone);
  return (
    <tr>
      <td>
        <Link className={`mono ${table.name}`} href={`/custom-bots/${name}?version=${version}`}>
          {version}
        </Link>
      </td>
      <td className={table.dim}>{data === null ? null : <Time at={data.created_at} zone={zone} />}</td>
      <td className={table.number}>{data === null ? null : formatBytes(data.size_bytes)}</td>
      <td className={table.number}>{bots}</td>
      <td>
        <span className={styles.rowActions}>
          {before === undefined ? null : (
            <Link href={`/custom-bots/${name}/compare?from=${before}&to=${version}`}>What changed</Link>
          )}
          {mayChange ? <Link href={`/deploy?custom_bot=${name}&version=${version}`}>Deploy</Link> : null}
          <button
            type="button"
            className={table.tool}
            disabled={busy}
            aria-label={`Export version ${version}`}
            title="Export as one file, for another host or person"
            onClick={onExport}
          >
            <Download aria-hidden="true" />
          </button>
          {mayChange ? (
            <button
              type="button"
              className={table.tool}
              disabled={bots > 0 || busy}
              aria-label={`Remove version ${version}`}
              title={bots > 0 ? `${countOf(bots)} run${bots === 1 ? 's' : ''} it` : 'Remove this version'}
              onClick={onRemove}
            >
              <Trash2 aria-hidden="true" />
            </button>
          ) : null}
        </span>
      </td>
    </tr>
  );
}
