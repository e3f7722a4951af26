import { isJsonObject, ownValue, setOwn } from '../../../shared/json.ts';
import type { Path } from './value-at-path.ts';

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** One difference between two configs. Undefined: it is not set. */
export interface Difference {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

/** The differences, setting by setting; lists differ as a whole. */
export function differences(before: unknown, after: unknown, path: Path = []): Difference[] {
  if (same(before, after)) return [];
  const inner = (value: unknown): value is Record<string, unknown> =>
    isJsonObject(value) && Object.keys(value).length > 0;
  if (!inner(before) && !inner(after)) return [{ path, before, after }];
  if (!(isJsonObject(before) || before === undefined) || !(isJsonObject(after) || after === undefined)) {
    return [{ path, before, after }];
  }
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...keys].flatMap((key) =>
    differences(
      before === undefined ? undefined : ownValue(before, key),
      after === undefined ? undefined : ownValue(after, key),
      [...path, key],
    ),
  );
}

function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  return isJsonObject(value) && Object.values(value).some(holdsNull);
}

function patchOf(before: unknown, after: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) setOwn(patch, key, null);
  for (const [key, value] of Object.entries(after)) {
    const old = ownValue(before, key);
    if (!same(old, value)) setOwn(patch, key, patchOf(old, value));
  }
  return patch;
}

/** Request fields for a change of a config. */
export type ConfigChange =
  | { readonly config_patch: Record<string, unknown> }
  | { readonly config: Record<string, unknown> };

/**
 * The change from one config to another: a JSON Merge Patch of the differences, so that everything else keeps its
 * stored value. A patch cannot set null (there it removes); the whole config is sent then.
 */
export function changeOf(before: Record<string, unknown>, after: Record<string, unknown>): ConfigChange {
  if (differences(before, after).some((one) => holdsNull(one.after))) return { config: after };
  const patch = patchOf(before, after);
  return { config_patch: isJsonObject(patch) ? patch : {} };
}
