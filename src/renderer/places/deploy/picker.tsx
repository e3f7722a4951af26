import { useId } from 'react';
import { Link } from 'wouter';
import type { CustomBotSummary } from '../../../contract/custom-bot.ts';
import type { Sample } from '../../../contract/sample.ts';
import { Button } from '../../parts/button.tsx';
import field from '../../parts/field.module.css';
import styles from './deploy.module.css';

interface PickerProps {
  readonly customBots: readonly CustomBotSummary[];
  readonly samples: readonly Sample[];
  readonly chosen: CustomBotSummary | null;
  readonly version: string | null;
  readonly busy: boolean;
  /** A custom bot that was asked for and is not there. */
  readonly missing: string | null;
  readonly onChoose: (name: string, version?: string) => void;
  readonly onSample: (name: string) => void;
}

/** No name of a custom bot has a colon. */
const SAMPLE = 'sample:';

/** What is deployed: a custom bot and its version, or one of the samples. */
export function Picker(props: PickerProps) {
  const { customBots, samples, chosen, version, missing, onChoose, onSample } = props;
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
                onChange={({ target }) =>
                  target.value.startsWith(SAMPLE) ? onSample(target.value.slice(SAMPLE.length)) : onChoose(target.value)
                }
              >
                {chosen === null ? <option value="">Choose…</option> : null}
                {customBots.map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.name}
                  </option>
                ))}
                {chosen === null || unpublished.length === 0 ? null : (
                  <optgroup label="Samples, published when chosen">
                    {unpublished.map((one) => (
                      <option key={one.name} value={`${SAMPLE}${one.name}`} disabled={one.problem !== null}>
                        {one.name}
                      </option>
                    ))}
                  </optgroup>
                )}
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
            {chosen.description === '' ? 'It has no description.' : chosen.description}{' '}
            <Link href={`/custom-bots/${chosen.name}`}>About {chosen.name}</Link>
          </p>
        )}
        {chosen === null ? <SampleList {...props} samples={unpublished} /> : null}
      </div>
    </section>
  );
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function SampleList({ samples, busy, onSample }: PickerProps) {
  if (samples.length === 0) return null;
  return (
    <div className={styles.samples}>
      <h3>Samples</h3>
      <ul>
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
                  Not on this machine. {ended(sample.problem.message)} {sample.problem.hint?.replaceAll('`', '')}
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
    </div>
  );
}
