import { Eye, EyeOff, LockKeyhole } from 'lucide-react';
import { useState } from 'react';
import type { Schema } from '../../../shared/json-schema.ts';
import { kindOf } from '../../../shared/json-schema.ts';
import { STORED } from './hide-and-restore-secrets.ts';
import { toNumber } from './parse-number.ts';
import { described } from './scalar-control.tsx';
import styles from './schema-form.module.css';

interface SecretProps {
  readonly id: string;
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
  /** Something is stored that may be kept. */
  readonly stored: boolean;
  readonly onChange: (value: unknown) => void;
  readonly wrong: boolean;
  readonly disabled: boolean;
}

/** A secret: the stored value stays unless replaced, and is never shown. */
export function SecretControl({ id, name, schema, value, stored, onChange, wrong, disabled }: SecretProps) {
  const [shown, setShown] = useState(false);
  if (value === STORED) {
    return (
      <div className={styles.stored}>
        <LockKeyhole aria-hidden="true" />
        <span>Stored; it is kept</span>
        <button
          type="button"
          id={id}
          className={styles.small}
          disabled={disabled}
          aria-label={`Replace the stored ${name}`}
          onClick={() => onChange('')}
        >
          Replace
        </button>
        <button
          type="button"
          className={styles.small}
          disabled={disabled}
          aria-label={`Remove the stored ${name}`}
          onClick={() => onChange(undefined)}
        >
          Remove
        </button>
      </div>
    );
  }
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const read = (typed: string): unknown =>
    kindOf(schema) === 'number' ? toNumber(typed) : typed === '' ? undefined : typed;
  return (
    <div className={styles.secret}>
      <input
        id={id}
        className={styles.input}
        type={shown ? 'text' : 'password'}
        value={text}
        autoComplete="off"
        spellCheck={false}
        disabled={disabled}
        aria-invalid={wrong}
        aria-describedby={described(id, schema, wrong)}
        onChange={({ target }) => onChange(read(target.value))}
      />
      <button
        type="button"
        className={styles.icon}
        aria-label={shown ? `Hide ${name}` : `Show ${name}`}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        {shown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
      </button>
      {text === '' ? (
        <button
          type="button"
          className={styles.small}
          disabled={disabled}
          aria-label={`Use a secret for ${name}`}
          onClick={() => onChange({ $secret: '' })}
        >
          Use a secret
        </button>
      ) : null}
      {stored ? (
        <button type="button" className={styles.small} disabled={disabled} onClick={() => onChange(STORED)}>
          Keep what is stored
        </button>
      ) : null}
    </div>
  );
}
