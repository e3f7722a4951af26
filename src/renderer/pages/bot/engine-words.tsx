import type { IsolationLevel } from '../../../contract/isolation.ts';
import { useCall } from '../../data/use-call.ts';
import styles from './overview.module.css';

const LEVELS = { full: 'full', partial: 'partial', none: 'none' } as const;

interface EngineWordsProps {
  readonly name: string;
  /** Level of a program that runs, which it keeps until its next start; without one, that of the engine now. */
  readonly level?: IsolationLevel | undefined;
}

/** Engine of a bot, and its isolation of the bot from everything else. */
export function EngineWords({ name, level: own }: EngineWordsProps) {
  const host = useCall('host.get', {});
  const engine = host.data?.engines.find((one) => one.name === name);
  const isolation = engine?.isolation ?? [];
  const level = own ?? engine?.level;
  return (
    <>
      {engine?.summary ?? name}
      {level === 'sandbox' || level === 'partial' ? (
        <span className={level === 'partial' ? styles.none : undefined}> (level {level})</span>
      ) : null}
      {engine === undefined || level === engine.level ? null : (
        <span className={styles.none}> It keeps this level until its next start, which has level {engine.level}.</span>
      )}
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
