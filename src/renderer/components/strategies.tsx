import { useId } from 'react';
import { Link } from 'wouter';
import { STRATEGIES, type Strategy, type StrategyId } from '../../contract/strategies.ts';
import styles from './strategies.module.css';
import { StrategyChart } from './strategy-chart.tsx';

function About({ strategy: { id, label, sentence } }: { readonly strategy: Strategy }) {
  return (
    <>
      <StrategyChart strategy={id} />
      <span className={styles.label}>{label}</span>
      <span className={styles.sentence}>{sentence}</span>
    </>
  );
}

interface StrategyChoiceProps {
  readonly value: StrategyId;
  readonly onChange: (strategy: StrategyId) => void;
}

/** What a new project begins with, as cards; radio buttons, so that arrow keys and forms work as usual. */
export function StrategyChoice({ value, onChange }: StrategyChoiceProps) {
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.legend}>Begin with</legend>
      <div className={styles.cards}>
        {STRATEGIES.map((strategy) => (
          <label key={strategy.id} className={styles.card}>
            <input
              type="radio"
              className={styles.radio}
              name={name}
              value={strategy.id}
              checked={strategy.id === value}
              onChange={() => onChange(strategy.id)}
            />
            <About strategy={strategy} />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The strategies as cards that lead to a new project. */
export function StrategyLinks() {
  return (
    <ul className={styles.cards}>
      {STRATEGIES.filter(({ id }) => id !== 'empty').map((strategy) => (
        <li key={strategy.id}>
          <Link className={styles.card} href={`/editor?strategy=${strategy.id}`}>
            <About strategy={strategy} />
          </Link>
        </li>
      ))}
    </ul>
  );
}
