import { useCall } from '../../data/use-call.ts';
import styles from './overview.module.css';

const LEVELS = { full: 'full', partial: 'partial', none: 'none' } as const;

/** Engine of a bot, and its isolation of the bot from everything else. */
export function EngineWords({ name }: { readonly name: string }) {
  const host = useCall('host.get', {});
  const engine = host.data?.engines.find((one) => one.name === name);
  const isolation = engine?.isolation ?? [];
  return (
    <>
      {engine?.summary ?? name}
      {engine?.level === 'sandbox' || engine?.level === 'partial' ? (
        <span className={engine.level === 'partial' ? styles.none : undefined}> (level {engine.level})</span>
      ) : null}
      {engine?.available === false ? (
        <span className={styles.none}> (not available now{engine.reason === null ? '' : `: ${engine.reason}`})</span>
      ) : null}
      {isolation.length === 0 ? null : (
        <details>
          <summary className={styles.dim}>How far it is isolated</summary>
          <ul className={styles.isolation}>
            {isolation.map(({ aspect, level, note }) => (
              <li key={aspect}>
                <span>{aspect}</span>
                <span className={level === 'full' ? undefined : styles.none}>{LEVELS[level]}</span>
                <span>{note}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
