import { Shield, ShieldCheck, ShieldOff } from 'lucide-react';
import type { EngineInfo } from '../../../contract/host.ts';
import styles from './isolation-sign.module.css';

const LEVELS = {
  full: ['Kept apart', ShieldCheck],
  partial: ['In part', Shield],
  none: ['Not kept apart', ShieldOff],
} as const;

/** Isolation of bots in one respect, as sign and word. */
export function IsolationSign({ of }: { readonly of: EngineInfo['isolation'][number]['level'] }) {
  const [label, Icon] = LEVELS[of];
  return (
    <span className={`${styles.level} ${styles[of]}`}>
      <Icon aria-hidden="true" /> {label}
    </span>
  );
}
