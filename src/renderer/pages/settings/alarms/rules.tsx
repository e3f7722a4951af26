import type { AlarmRule } from '../../../../contract/alarms.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Section } from '../../../components/section.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Switch } from '../../../components/switch.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import { toastDone, toastFailed } from '../../../data/toasts.ts';
import type { Called } from '../../../data/use-call.ts';
import styles from '../settings.module.css';
import { AddRuleButton } from './add-rule-button.tsx';

const SEVERITY = {
  info: 'For information',
  warning: 'Warning',
  critical: 'Critical: also during quiet hours',
} as const;

/** The rules of this user in sentences, each with a switch. */
export function RulesSection({
  called: { data, error, reload },
}: {
  readonly called: Called<{ readonly items: readonly AlarmRule[] }>;
}) {
  const { socket } = useHost();
  const change = (work: Promise<unknown>, done: string | null): void => {
    work.then(
      () => {
        if (done !== null) toastDone(done);
        reload();
      },
      (thrown) => toastFailed('The rule could not be changed', thrown),
    );
  };
  return (
    <Section title="Rules" about="Of what you are told, in sentences." action={<AddRuleButton onAdded={reload} />}>
      {error === null ? null : <ErrorNote error={error} />}
      {data === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : data.items.length === 0 ? (
        <p className={styles.note}>There are no rules: nothing is told.</p>
      ) : (
        <div className={`${styles.box} ${styles.stack}`}>
          {data.items.map(({ rule_id, sentence, severity, enabled }) => (
            <div key={rule_id} className={styles.row}>
              <div className={styles.told}>
                <Switch
                  label={sentence}
                  hint={SEVERITY[severity]}
                  on={enabled}
                  onChange={(on) => change(socket.call('alarms.change_rule', { rule_id, enabled: on }), null)}
                />
              </div>
              <Button
                kind="quiet"
                aria-label={`Remove: ${sentence}`}
                onClick={() => change(socket.call('alarms.remove_rule', { rule_id }), 'The rule was removed')}
              >
                Remove
              </Button>
            </div>
          ))}
        </div>
      )}
    </Section>
  );
}
