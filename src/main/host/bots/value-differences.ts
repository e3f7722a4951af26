import type { ApprovalDifference } from '../../../contract/approvals.ts';
import { pathPart } from '../../../shared/config-words.ts';
import { isJsonObject, ownValue } from '../../../shared/json.ts';
import { isSealed, secretNameOf } from '../../../shared/secret-references.ts';

/** A JSON value, and the form of it that a reader sees; undefined where it is not there. */
export interface Shown {
  readonly real: unknown;
  readonly shown: unknown;
}

/** The name of an object's member or list's item below a path. */
const at = (path: string, key: string | number): string =>
  typeof key === 'number' ? `${path}[${key}]` : `${path}${pathPart(key)}`;

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
const alike = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

/** The members of an object whose shown form has the same ones; null for anything else, of which nothing is told part by part. */
function membersOf({ real, shown }: Shown): ReadonlyMap<string, Shown> | null {
  if (!isJsonObject(real) || !isJsonObject(shown) || secretNameOf(real) !== null || isSealed(real)) return null;
  const keys = Object.keys(real);
  // A masked name is a secret: the path would say it.
  if (!alike(keys, Object.keys(shown))) return null;
  return new Map(keys.map((key) => [key, { real: ownValue(real, key), shown: ownValue(shown, key) }]));
}

/** The same for the items of a list: masking makes one of several items that only together spell a secret. */
function itemsOf({ real, shown }: Shown): readonly Shown[] | null {
  if (!Array.isArray(real) || !Array.isArray(shown) || real.length !== shown.length) return null;
  return real.map((item: unknown, index) => ({ real: item, shown: shown[index] }));
}

const NOTHING: Shown = { real: undefined, shown: undefined };

/** Pairs of items that differ, by their place, without what both lists begin and end with. */
export function differentItems<T>(
  before: readonly T[],
  after: readonly T[],
  same: (one: T, other: T) => boolean,
): { readonly index: number; readonly before: T | undefined; readonly after: T | undefined }[] {
  const shorter = Math.min(before.length, after.length);
  const isSame = (one: number, other: number): boolean => {
    const [was, is] = [before[one], after[other]];
    return was !== undefined && is !== undefined && same(was, is);
  };
  let head = 0;
  while (head < shorter && isSame(head, head)) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.length - 1 - tail, after.length - 1 - tail)) tail += 1;
  const [was, is] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  return Array.from({ length: Math.max(was.length, is.length) }, (_, index) => ({
    index: head + index,
    before: was[index],
    after: is[index],
  })).filter((one) => one.before === undefined || one.after === undefined || !same(one.before, one.after));
}

/**
 * The differences of two values below a path, down to members of objects and items of lists. What differs is judged by the real
 * values; texts are of the shown forms alone. Pure.
 */
export function* valueDifferences(path: string, before: Shown, after: Shown): Generator<ApprovalDifference> {
  if (alike(before.real, after.real)) return;
  const [members, others] = [membersOf(before), membersOf(after)];
  if (members !== null && others !== null) {
    for (const key of new Set([...members.keys(), ...others.keys()]))
      yield* valueDifferences(at(path, key), members.get(key) ?? NOTHING, others.get(key) ?? NOTHING);
    return;
  }
  const [items, otherItems] = [itemsOf(before), itemsOf(after)];
  if (items !== null && otherItems !== null) {
    for (const one of differentItems(items, otherItems, (was, is) => alike(was.real, is.real)))
      yield* valueDifferences(at(path, one.index), one.before ?? NOTHING, one.after ?? NOTHING);
    return;
  }
  const hidden = [before, after].some(({ real, shown }) => !alike(real, shown));
  yield { path, before: textOf(before.shown), after: textOf(after.shown), hidden };
}

/** A place of a config that only one of two versions hides. */
interface HidingChange {
  readonly path: string;
  readonly becomes: 'hidden' | 'shown';
}

/**
 * The places of a config at which two versions hide not the same: `was` and `is` are its forms with what each hides, `given` the
 * config as its reader sees it. A list is one place. Pure.
 */
export function* hidingChanges(path: string, given: Shown, was: unknown, is: unknown): Generator<HidingChange> {
  if (alike(was, is)) return;
  const members = membersOf(given);
  if (members !== null && isJsonObject(was) && isJsonObject(is)) {
    for (const [key, member] of members)
      yield* hidingChanges(at(path, key), member, ownValue(was, key), ownValue(is, key));
    return;
  }
  if (!hidesAll(was, is, given.real)) yield { path, becomes: 'hidden' };
  if (!hidesAll(is, was, given.real)) yield { path, becomes: 'shown' };
}

/** True if the first form of a value hides every part that the second one hides. */
function hidesAll(first: unknown, second: unknown, real: unknown): boolean {
  if (alike(second, real)) return true;
  if (Array.isArray(first) && Array.isArray(second) && Array.isArray(real))
    return real.every((item: unknown, index) => hidesAll(first[index], second[index], item));
  if (isJsonObject(first) && isJsonObject(second) && isJsonObject(real))
    return Object.keys(real).every((key) => hidesAll(ownValue(first, key), ownValue(second, key), ownValue(real, key)));
  return alike(first, second);
}
