import { useState } from 'react';
import { choicesOf, ruleList, type Schema, typesOf, valueText } from '../../../shared/json-schema.ts';
import { toNumber } from './parse-number.ts';
import styles from './schema-form.module.css';

interface ScalarProps {
  readonly id: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly wrong: boolean;
  readonly disabled: boolean;
}

/** Ids of what describes a control. */
export function described(id: string, schema: Schema, wrong: boolean): string | undefined {
  const hasMeaning = typeof schema.description === 'string' || 'default' in schema || ruleList(schema).length > 0;
  const ids = [hasMeaning ? `${id}-about` : null, wrong ? `${id}-problem` : null];
  return ids.filter(Boolean).join(' ') || undefined;
}

export function TextControl({ id, schema, value, onChange, wrong, disabled }: ScalarProps) {
  const shown = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <input
      id={id}
      className={styles.input}
      value={shown}
      placeholder={'default' in schema ? valueText(schema.default) : undefined}
      disabled={disabled}
      spellCheck={false}
      aria-invalid={wrong}
      aria-describedby={described(id, schema, wrong)}
      onChange={({ target }) => onChange(target.value === '' && !('default' in schema) ? undefined : target.value)}
    />
  );
}

/** A number field; incomplete input stays a text. */
export function NumberControl({ id, schema, value, onChange, wrong, disabled }: ScalarProps) {
  const written = value === undefined ? '' : typeof value === 'number' ? String(value) : valueText(value);
  const [typed, setTyped] = useState(written);
  const isSame = toNumber(typed) === value;
  return (
    <input
      id={id}
      className={`${styles.input} ${styles.number}`}
      inputMode={typesOf(schema).includes('integer') ? 'numeric' : 'decimal'}
      value={isSame ? typed : written}
      placeholder={'default' in schema ? valueText(schema.default) : undefined}
      disabled={disabled}
      aria-invalid={wrong}
      aria-describedby={described(id, schema, wrong)}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(toNumber(target.value));
      }}
    />
  );
}

export function SwitchControl({ id, schema, value, onChange, wrong, disabled }: ScalarProps) {
  const on = (value ?? schema.default) === true;
  return (
    <button
      type="button"
      id={id}
      role="switch"
      aria-checked={on}
      aria-describedby={described(id, schema, wrong)}
      className={styles.switch}
      disabled={disabled}
      onClick={() => onChange(!on)}
    >
      <span className={styles.knob} aria-hidden="true" />
      <span>{on ? 'On' : 'Off'}</span>
    </button>
  );
}

export function ChoiceControl({ id, schema, value, onChange, wrong, disabled }: ScalarProps) {
  const choices = choicesOf(schema) ?? [];
  const at = choices.indexOf(value);
  const isOther = value !== undefined && at < 0;
  return (
    <select
      id={id}
      className={styles.input}
      value={value === undefined ? '' : isOther ? 'other' : String(at)}
      disabled={disabled}
      aria-invalid={wrong}
      aria-describedby={described(id, schema, wrong)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : choices[Number(target.value)])}
    >
      <option value="">{'default' in schema ? `${valueText(schema.default)} (default)` : 'Not set'}</option>
      {isOther ? <option value="other">{valueText(value)}</option> : null}
      {choices.map((one, i) => (
        <option key={valueText(one)} value={String(i)}>
          {valueText(one)}
        </option>
      ))}
    </select>
  );
}
