import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { StateKey } from '../../../contract/state.ts';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Switch } from '../../components/switch.tsx';
import { Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { leaveThen } from '../../data/unsaved.ts';
import { useCall } from '../../data/use-call.ts';
import { useReadEvery } from '../../data/use-every-while-visible.ts';
import styles from './state.module.css';
import { NewStateKey, StateKeyView } from './state-key-view.tsx';
import type { TabProps } from './tab-props.ts';

const LIST_MS = 5000;
/** A bot's state between runs. It can be changed only after confirmation, and while the bot does not run. */
export function State({ bot }: TabProps) {
  const { who } = useHost();
  const state = useCall('state.list', { bot_id: bot.bot_id });
  const [search, setSearch] = useSearchParams();
  const [isEditing, setEditing] = useState(false);
  const [isNew, setNew] = useState(false);
  useReadEvery(LIST_MS, state, bot.run_id !== null);
  const keys = state.data?.keys;
  if (keys === undefined) {
    return state.error === null ? <Skeleton rows={4} label="Loading the state" /> : <ErrorNote error={state.error} />;
  }
  const stored = isNew ? undefined : (keys.find((one) => one.key === search.get('key')) ?? keys[0]);
  const choose = (key: string): void => {
    const go = (): void => {
      setNew(false);
      setSearch({ key }, { replace: true });
    };
    // A new key stands at the address of another one.
    if (isNew) leaveThen(go);
    else go();
  };
  return (
    <div className={styles.state}>
      {state.error === null ? null : <ErrorNote error={state.error} />}
      {who.scope === 'read' ? null : (
        <div className={styles.bar}>
          <Switch
            label="Allow changes"
            hint={
              bot.run_id === null
                ? 'What you change is what the bot finds when it starts. Changes are in the audit log.'
                : 'A running bot owns its state: stop it before you change something.'
            }
            on={isEditing}
            onChange={(on) =>
              leaveThen(() => {
                setEditing(on);
                setNew(false);
              })
            }
          />
          {isEditing ? (
            <Button icon={<Plus aria-hidden="true" />} onClick={() => leaveThen(() => setNew(true))}>
              New key
            </Button>
          ) : null}
        </div>
      )}
      {keys.length === 0 && !isNew ? (
        <Empty title="It has stored nothing">
          <p>
            What the bot keeps with <code>state.set()</code> shows here.
          </p>
        </Empty>
      ) : (
        <div className={styles.panes}>
          <div className={styles.list}>
            <ul aria-label="Keys">
              {keys.map((one) => (
                <KeyRow key={one.key} of={one} isChosen={one.key === stored?.key} onChoose={() => choose(one.key)} />
              ))}
            </ul>
            <p className={styles.total}>
              {keys.length} {keys.length === 1 ? 'key' : 'keys'}, {formatBytes(state.data?.total_bytes ?? 0)}
              {state.data?.over_quota === true ? <strong className={styles.over}> over its quota</strong> : null}
            </p>
          </div>
          {isNew ? (
            <NewStateKey
              bot={bot}
              taken={keys.map((one) => one.key)}
              onDone={(key) => {
                state.reload();
                if (key === null) setNew(false);
                else choose(key);
              }}
            />
          ) : stored === undefined ? null : (
            <StateKeyView
              key={stored.key}
              bot={bot}
              stored={stored}
              mayEdit={isEditing && who.scope !== 'read'}
              onChanged={state.reload}
            />
          )}
        </div>
      )}
    </div>
  );
}

function KeyRow({
  of,
  isChosen,
  onChoose,
}: {
  readonly of: StateKey;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const zone = usePreferences((one) => one.zone);
  return (
    <li>
      <button type="button" className={styles.key} aria-current={isChosen ? 'true' : undefined} onClick={onChoose}>
        <code className={styles.name}>{of.key}</code>
        <span className={styles.size}>{formatBytes(of.size)}</span>
        <span className={styles.modified}>
          <Time at={of.modified_at} zone={zone} />
        </span>
      </button>
    </li>
  );
}
