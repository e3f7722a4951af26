import { Plus, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { configPath } from '../../../shared/config-words.ts';
import { isJsonObject, ownValue } from '../../../shared/json.ts';
import { isSecret, kindOf, otherSchema, propertiesOf, resolve, type Schema } from '../../../shared/json-schema.ts';
import { secretNameOf } from '../../../shared/secret-references.ts';
import type { FieldProblem } from './check-config.ts';
import { FieldRow } from './field-row.tsx';
import { STORED } from './hide-and-restore-secrets.ts';
import { JsonControl } from './json-control.tsx';
import { ChoiceControl, NumberControl, SwitchControl, TextControl } from './scalar-control.tsx';
import styles from './schema-form.module.css';
import { SecretControl } from './secret-control.tsx';
import { SecretReferenceControl } from './secret-reference-control.tsx';
import { type Path, valueAt, withKey, withValue } from './value-at-path.ts';

/** Values and functions that every field of a form uses. */
export interface FormScope {
  readonly root: Schema;
  readonly value: Record<string, unknown>;
  /** The config as it is stored; null for one that is new. */
  readonly stored: Record<string, unknown> | null;
  readonly problems: readonly FieldProblem[];
  readonly unnamed: ReadonlySet<string>;
  readonly disabled: boolean;
  readonly set: (path: Path, value: unknown) => void;
}

interface FieldProps {
  readonly scope: FormScope;
  readonly schema: Schema;
  readonly path: Path;
  readonly name: string;
  readonly required: boolean;
  readonly secret: boolean;
  /** Removes the whole entry, where that is not the same as its default. */
  readonly onRemove?: () => void;
}

/** A setting of any kind, with everything below it. */
export function ValueField(props: FieldProps) {
  const { scope, schema, path, name, required, onRemove } = props;
  const id = useId();
  const value = valueAt(scope.value, path);
  const at = configPath(path, scope.value);
  const problems = scope.problems.filter((one) => one.path === at);
  const secret = props.secret || isSecret(name, schema);
  const kind = kindOf(schema);
  const set = (next: unknown): void => scope.set(path, next);
  const group = kind === 'object' || kind === 'list';
  // Required without a default: removal only makes it missing.
  const hasOther = !required || 'default' in schema;
  return (
    <FieldRow
      id={id}
      name={name}
      schema={schema}
      required={required && !('default' in schema)}
      problems={problems}
      onReset={value !== undefined && value !== STORED && hasOther ? () => set(undefined) : null}
      onRemove={onRemove ?? null}
      disabled={scope.disabled}
      group={group}
    >
      {group ? (
        <fieldset aria-labelledby={`${id}-label`} className={styles.group}>
          {kind === 'object' ? (
            <ObjectFields scope={scope} schema={schema} path={path} secret={secret} />
          ) : (
            <ListFields scope={scope} schema={schema} path={path} secret={secret} name={name} />
          )}
        </fieldset>
      ) : (
        <Control {...props} id={id} value={value} secret={secret} set={set} wrong={problems.length > 0} />
      )}
    </FieldRow>
  );
}

interface ControlProps extends FieldProps {
  readonly id: string;
  readonly value: unknown;
  readonly set: (value: unknown) => void;
  readonly wrong: boolean;
}

function Control({ scope, schema, path, name, id, value, secret, set, wrong }: ControlProps) {
  const shared = { id, schema, value, onChange: set, wrong, disabled: scope.disabled };
  const kind = kindOf(schema);
  const reference = secretNameOf(value);
  if (reference !== null) return <SecretReferenceControl {...shared} name={name} secret={reference} />;
  if (secret && (kind === 'text' || kind === 'number' || value === STORED)) {
    const stored = scope.stored !== null && valueAt(scope.stored, path) === STORED;
    return <SecretControl {...shared} name={name} stored={stored} />;
  }
  if (kind === 'text') return <TextControl {...shared} />;
  if (kind === 'number') return <NumberControl {...shared} />;
  if (kind === 'boolean') return <SwitchControl {...shared} />;
  if (kind === 'choice') return <ChoiceControl {...shared} />;
  return (
    <JsonControl id={id} label={name} value={value} onChange={set} rows={4} disabled={scope.disabled} wrong={wrong} />
  );
}

interface GroupProps {
  readonly scope: FormScope;
  readonly schema: Schema;
  readonly path: Path;
  readonly secret: boolean;
}

/** The properties of an object, and its other keys. */
export function ObjectFields({ scope, schema, path, secret }: GroupProps) {
  const value = valueAt(scope.value, path);
  const named = propertiesOf(scope.root, schema);
  const keys = isJsonObject(value) ? Object.keys(value) : [];
  const others = keys.filter((key) => !named.some((one) => one.key === key));
  const other = otherSchema(scope.root, schema);
  const isMap = named.length === 0 || isJsonObject(schema.additionalProperties);
  return (
    <>
      {named.map((one) => (
        <ValueField
          key={one.key}
          scope={scope}
          schema={one.schema}
          path={[...path, one.key]}
          name={one.key}
          required={one.required}
          secret={secret}
        />
      ))}
      {others.map((key) =>
        isMap && other !== null ? (
          <Entry key={key} scope={scope} schema={other} path={path} name={key} secret={secret} />
        ) : (
          <UnknownKey key={key} scope={scope} path={[...path, key]} refused={other === null} />
        ),
      )}
      {isMap && other !== null ? <AddEntry scope={scope} schema={other} path={path} taken={keys} /> : null}
    </>
  );
}

/** An entry under a key that the person chose. */
function Entry({ scope, schema, path, name, secret }: GroupProps & { readonly name: string }) {
  return (
    <ValueField
      scope={scope}
      schema={schema}
      path={[...path, name]}
      name={name}
      required={false}
      secret={secret}
      onRemove={() => scope.set([...path, name], undefined)}
    />
  );
}

/** The lowest number that is allowed, or 0. */
function firstNumber({ minimum, exclusiveMinimum: above }: Schema): number {
  if (typeof minimum === 'number') return minimum;
  return typeof above === 'number' ? above + 1 : 0;
}

/** Returns a first value, so that there is something to fill in. */
function firstValue(schema: Schema): unknown {
  if ('default' in schema) return schema.default;
  const kind = kindOf(schema);
  if (kind === 'object') return {};
  if (kind === 'list') return [];
  if (kind === 'boolean') return false;
  if (kind === 'number') return firstNumber(schema);
  return kind === 'text' ? '' : null;
}

function AddEntry({ scope, schema, path, taken }: Omit<GroupProps, 'secret'> & { readonly taken: readonly string[] }) {
  const [key, setKey] = useState('');
  const free = key.trim() !== '' && !taken.includes(key.trim());
  const add = (): void => {
    if (!free) return;
    scope.set([...path, key.trim()], firstValue(schema));
    setKey('');
  };
  return (
    <div className={styles.add}>
      <input
        className={styles.input}
        value={key}
        placeholder="New key"
        aria-label={`New key in ${path.at(-1) ?? 'the config'}`}
        spellCheck={false}
        disabled={scope.disabled}
        onChange={({ target }) => setKey(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <button type="button" className={styles.small} disabled={scope.disabled || !free} onClick={add}>
        <Plus aria-hidden="true" /> Add
      </button>
    </div>
  );
}

/** A key that the schema does not know: the person can rename or remove it. */
function UnknownKey({
  scope,
  path,
  refused,
}: {
  readonly scope: FormScope;
  readonly path: Path;
  readonly refused: boolean;
}) {
  const id = useId();
  const key = path.at(-1) ?? '';
  const holder = path.slice(0, -1);
  const [name, setName] = useState(key);
  const at = configPath(path, scope.value);
  const problem = scope.problems.find((one) => one.path === at);
  const rename = (): void => {
    const around = valueAt(scope.value, holder);
    if (name.trim() !== '' && name !== key && isJsonObject(around) && ownValue(around, name) === undefined) {
      scope.set(holder, withKey(around, key, name.trim()));
    }
  };
  return (
    <div className={styles.row} data-problem={refused ? '' : undefined} data-unknown="">
      <div className={styles.unknown}>
        <input
          id={id}
          className={styles.input}
          value={name}
          aria-label={`Name of the unknown setting ${key}`}
          aria-invalid={refused}
          aria-describedby={`${id}-problem`}
          spellCheck={false}
          disabled={scope.disabled}
          onChange={({ target }) => setName(target.value)}
          onBlur={rename}
          onKeyDown={(event) => event.key === 'Enter' && rename()}
        />
        <code className={styles.ofKey}>{JSON.stringify(valueAt(scope.value, path))}</code>
        <button
          type="button"
          className={styles.icon}
          aria-label={`Remove ${key}`}
          disabled={scope.disabled}
          onClick={() => scope.set(path, undefined)}
        >
          <Trash2 aria-hidden="true" />
        </button>
      </div>
      <p id={`${id}-problem`} className={refused ? styles.problem : styles.about}>
        {problem === undefined ? 'The schema does not name this setting; the bot may ignore it.' : problem.message}
        {problem?.hint === undefined ? null : <span> {problem.hint}</span>}
      </p>
    </div>
  );
}

/** Treats a default as if the person had set it: it becomes theirs with the first change. */
function asOwn(scope: FormScope, path: Path, value: unknown): FormScope {
  const whole = withValue(scope.value, path, value);
  const set: FormScope['set'] = (at, next) => {
    scope.set(path, value);
    scope.set(at, next);
  };
  return { ...scope, value: isJsonObject(whole) ? whole : scope.value, set };
}

function ListFields({ scope, schema, path, secret, name }: GroupProps & { readonly name: string }) {
  const value = valueAt(scope.value, path);
  const shown: unknown = value ?? schema.default;
  const items: readonly unknown[] = Array.isArray(shown) ? shown : [];
  const item = resolve(scope.root, schema.items);
  const inner = value === undefined ? asOwn(scope, path, items) : scope;
  return (
    <>
      {items.map((_, i) => (
        <ValueField
          // biome-ignore lint/suspicious/noArrayIndexKey: items of a list have no other name
          key={i}
          scope={inner}
          schema={item}
          path={[...path, String(i)]}
          name={`${name}[${i}]`}
          required={false}
          secret={secret}
          onRemove={() => inner.set([...path, String(i)], undefined)}
        />
      ))}
      <button
        type="button"
        className={styles.small}
        disabled={scope.disabled}
        onClick={() => scope.set(path, [...items, firstValue(item)])}
      >
        <Plus aria-hidden="true" /> Add to {name}
      </button>
    </>
  );
}
