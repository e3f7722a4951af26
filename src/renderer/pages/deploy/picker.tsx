import { useId } from 'react';
import { Link } from 'wouter';
import type { CustomBotSummary } from '../../../contract/custom-bot.ts';
import type { Sample } from '../../../contract/sample-bot.ts';
import { hintHere } from '../../../shared/npx-command.ts';
import { Ticked } from '../../components/backtick-text.tsx';
import { Button } from '../../components/button.tsx';
import field from '../../components/field.module.css';
import { StrategyLinks } from '../../components/strategies.tsx';
import styles from './deploy.module.css';

interface PickerProps {
  readonly customBots: readonly CustomBotSummary[];
  readonly samples: readonly Sample[];
  readonly chosen: CustomBotSummary | null;
  readonly version: string | null;
  readonly busy: boolean;
  /** The editor is open to this user. */
  readonly mayWrite: boolean;
  /** A custom bot that was asked for and is not there. */
  readonly missing: string | null;
  readonly onChoose: (name: string, version?: string) => void;
  readonly onSample: (name: string) => void;
}

/** Choice of a custom bot and its version, or a sample. */
export function Picker(props: PickerProps) {
  const { customBots, samples, chosen, version, missing, onChoose } = props;
  const id = useId();
  const unpublished = samples.filter((sample) => !customBots.some((one) => one.name === sample.name));
  return (
    <section className={styles.section} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Custom bot</h2>
      <div className={styles.body}>
        {missing === null ? null : (
          <p className={styles.problem}>There is no custom bot “{missing}”. Choose another one.</p>
        )}
        {customBots.length === 0 ? (
          <p className={styles.dim}>
            Nothing is published yet. Begin with a sample, or publish your own from its folder with{' '}
            <code>npx platform custom-bot deploy</code>.
          </p>
        ) : (
          <div className={styles.pair}>
            <div className={field.field}>
              <label htmlFor={`${id}-name`}>Name</label>
              <select
                id={`${id}-name`}
                className={field.input}
                value={chosen?.name ?? ''}
                disabled={props.busy}
                onChange={({ target }) => onChoose(target.value)}
              >
                {chosen === null ? <option value="">Choose…</option> : null}
                {customBots.map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.name}
                  </option>
                ))}
              </select>
            </div>
            {chosen === null ? null : (
              <div className={field.field}>
                <label htmlFor={`${id}-version`}>Version</label>
                <select
                  id={`${id}-version`}
                  className={field.input}
                  value={version ?? ''}
                  onChange={({ target }) => onChoose(chosen.name, target.value)}
                >
                  {version !== null && !chosen.versions.includes(version) ? (
                    <option value={version}>{version} (not there)</option>
                  ) : null}
                  {chosen.versions.map((one, i) => (
                    <option key={one} value={one}>
                      {one}
                      {i === 0 ? ' (latest)' : ''}
                    </option>
                  ))}
                </select>
              </div>
            )}
          </div>
        )}
        {chosen === null ? null : (
          <p className={styles.dim}>
            {chosen.description === '' ? 'It has no description.' : ended(chosen.description)}{' '}
            <Link href={`/custom-bots/${chosen.name}`}>About {chosen.name}</Link>
          </p>
        )}
        <Samples {...props} samples={unpublished} />
        {props.mayWrite ? <Strategies isOpen={chosen === null} /> : null}
      </div>
    </section>
  );
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/**
 * The samples that are not published yet. Each has a button: arrow keys in a list of choices must never publish a custom bot.
 */
function Samples(props: PickerProps) {
  if (props.samples.length === 0) return null;
  if (props.chosen === null) {
    return (
      <div className={styles.samples}>
        <h3>Samples</h3>
        <SampleList {...props} />
      </div>
    );
  }
  return (
    <details className={styles.details}>
      <summary>Or begin with a sample</summary>
      <SampleList {...props} />
    </details>
  );
}

/** What a bot of one's own can begin with; the editor makes a project of it. */
function Strategies({ isOpen }: { readonly isOpen: boolean }) {
  if (isOpen) {
    return (
      <div className={styles.strategies}>
        <h3>Write your own</h3>
        <StrategyLinks />
      </div>
    );
  }
  return (
    <details className={styles.details}>
      <summary>Or write your own</summary>
      <StrategyLinks />
    </details>
  );
}

function SampleList({ samples, busy, onSample }: PickerProps) {
  return (
    <ul className={styles.samples}>
      {samples.map((sample) => (
        <li key={sample.name} className={styles.sample}>
          <div>
            <p className={styles.sampleName}>
              <code>{sample.name}</code>{' '}
              <span className={styles.dim}>
                {sample.type}, {sample.runtime}
              </span>
            </p>
            <p className={styles.dim}>{sample.description}</p>
            {sample.problem === null ? null : (
              <p className={styles.dim}>
                Not on this machine. {ended(sample.problem.message)}{' '}
                <Ticked text={hintHere(sample.problem.hint ?? '')} />
              </p>
            )}
          </div>
          <Button
            disabled={busy || sample.problem !== null}
            onClick={() => onSample(sample.name)}
            aria-label={`Use ${sample.name}`}
          >
            Use
          </Button>
        </li>
      ))}
    </ul>
  );
}
