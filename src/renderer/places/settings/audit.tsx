import { useCallback, useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { AuditEntry } from '../../../contract/account.ts';
import { useFleet } from '../../data/fleet.ts';
import { useHost } from '../../data/host.ts';
import { usePreferences } from '../../data/preferences.ts';
import { byWords, clientWords, noEntries, readTrail, type TrailPage, withNewest, withOlder } from '../../data/trail.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { Section } from '../../parts/section.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.tsx';
import styles from './settings.module.css';

/** The trail as far as it was read: its newest entries anew when the host is back, and further back as asked. */
function useTrail() {
  const { socket } = useHost();
  const [page, setPage] = useState<TrailPage | null>(null);
  const read = useCallback(
    (before: number | null) => readTrail((input) => socket.call('audit.list', input), before),
    [socket],
  );
  const newest = useAction(async () => {
    const next = await read(null);
    setPage((known) => withNewest(known, next));
  });
  const older = useAction(async () => {
    const from = page?.before ?? null;
    const next = await read(from);
    setPage((known) => withOlder(known, from, next));
  });
  const { run } = newest;
  useEffect(() => {
    void run();
    return socket.onLink((link) => link === 'open' && void run());
  }, [socket, run]);
  return { page, error: newest.error ?? older.error, older };
}

/** What an entry is about, by its name where it has one still. */
function About({ target, names }: { readonly target: string | null; readonly names: ReadonlyMap<string, string> }) {
  const bot = useFleet(({ bots }) => (target === null ? undefined : bots?.get(target)?.name));
  if (target === null) return null;
  if (bot !== undefined) return <Link href={`/bots/${target}`}>{bot}</Link>;
  return <span title={target}>{names.get(target) ?? target}</span>;
}

/** What was done with this account. */
export function AuditSection() {
  const { who } = useHost();
  const zone = usePreferences((one) => one.zone);
  const { page, error, older } = useTrail();
  const keys = useCall('keys.list', {});
  const users = useCall('users.list', who.user.role === 'owner' ? {} : null);
  const names = new Map([
    ...(keys.data?.items ?? []).map((key): [string, string] => [key.key_id, key.name]),
    ...(users.data?.items ?? []).map((user): [string, string] => [user.user_id, user.name]),
  ]);
  return (
    <Section
      title="Audit"
      about={
        <>
          What was changed with your account, by what and how it ended; also what was refused. Kept for 180 days. What
          assistants did is at <Link href="/connect">Assistants</Link>.
        </>
      }
    >
      {error === null ? null : <ErrorNote error={error} />}
      {page === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : page.entries.length === 0 ? (
        <p className={styles.note}>{noEntries(page.before)}</p>
      ) : (
        <Trail entries={page.entries} zone={zone} names={names} />
      )}
      {page === null || page.before === null ? null : (
        <div>
          <Button busy={older.busy} onClick={() => void older.run()}>
            {page.entries.length === 0 ? 'Look further back' : 'Show older'}
          </Button>
        </div>
      )}
    </Section>
  );
}

interface TrailProps {
  readonly entries: readonly AuditEntry[];
  readonly zone: 'local' | 'UTC';
  readonly names: ReadonlyMap<string, string>;
}

function Trail({ entries, zone, names }: TrailProps) {
  return (
    <div className={`${table.scroll} ${table.stacking}`}>
      <table className={table.table}>
        <thead>
          <tr>
            <th>Time ({zone === 'UTC' ? 'UTC' : 'local'})</th>
            <th>What</th>
            <th>About</th>
            <th>By</th>
            <th>Outcome</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.audit_id}>
              <td className={`${table.line} ${table.dim}`}>
                <Time at={entry.at} zone={zone} />
              </td>
              <td className={table.line} data-head="What">
                <code>{entry.operation}</code>
              </td>
              <td className={table.few} data-head="About">
                <About target={entry.target} names={names} />
              </td>
              <td className={table.few} data-head="By">
                {byWords(entry, (keyId) => names.get(keyId))}
                {entry.client === null ? null : (
                  <span className={table.dim} title={entry.client}>
                    {' '}
                    · {clientWords(entry.client)}
                  </span>
                )}
              </td>
              <td className={table.line} data-head="Outcome">
                <Outcome entry={entry} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
