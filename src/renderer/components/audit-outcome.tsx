import { Check, CircleAlert, MessageCircleQuestionMark } from 'lucide-react';
import type { AuditEntry } from '../../contract/account.ts';
import styles from './audit-outcome.module.css';
import { outcomeOf } from './audit-outcome-words.ts';

const ICONS = { good: Check, bad: CircleAlert, plain: MessageCircleQuestionMark } as const;

/** Outcome of a call in the audit trail. */
export function Outcome({ entry }: { readonly entry: Pick<AuditEntry, 'outcome'> }) {
  const { label, tone } = outcomeOf(entry);
  const Icon = ICONS[tone];
  return (
    <span className={`${styles.outcome} ${styles[tone]}`}>
      <Icon aria-hidden="true" />
      {tone === 'bad' ? <code>{label}</code> : label}
    </span>
  );
}
