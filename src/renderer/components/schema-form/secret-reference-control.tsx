import { LockKeyhole } from 'lucide-react';
import type { Schema } from '../../../shared/json-schema.ts';
import { described } from './scalar-control.tsx';
import styles from './schema-form.module.css';

interface ReferenceProps {
  readonly id: string;
  readonly name: string;
  readonly schema: Schema;
  /** Name of the secret for which the setting stands. */
  readonly secret: string;
  readonly onChange: (value: unknown) => void;
  readonly wrong: boolean;
  readonly disabled: boolean;
}

/** A setting that refers to a secret by its name. */
export function SecretReferenceControl({ id, name, schema, secret, onChange, wrong, disabled }: ReferenceProps) {
  return (
    <div className={styles.stored}>
      <LockKeyhole aria-hidden="true" />
      <span>Secret</span>
      <input
        id={id}
        className={styles.input}
        value={secret}
        placeholder="NAME"
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        disabled={disabled}
        aria-invalid={wrong}
        aria-label={`Name of the secret for ${name}`}
        aria-describedby={described(id, schema, wrong)}
        onChange={({ target }) => onChange({ $secret: target.value })}
      />
      <button type="button" className={styles.small} disabled={disabled} onClick={() => onChange(undefined)}>
        Type a value
      </button>
    </div>
  );
}
