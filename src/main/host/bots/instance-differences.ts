import type { ApprovalDifference } from '../../../contract/approvals.ts';
import { isJsonObject, ownValue } from '../../../shared/json.ts';
import { permitLines } from '../../../shared/permit-words.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { BotCodeSource } from './bot-code.ts';
import { setupOf } from './changed-instance.ts';

type Path = readonly string[];

/** Paths at which two values differ, down to the members of objects; a list is one value. */
function* differentPaths(before: unknown, after: unknown, path: Path = []): Generator<Path> {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  if (!isJsonObject(before) || !isJsonObject(after)) {
    yield path;
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* differentPaths(ownValue(before, key), ownValue(after, key), [...path, key]);
  }
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, key) => (isJsonObject(at) ? ownValue(at, key) : undefined), value);

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** The differences of two values, in the words of their forms with hidden secrets. Pure. */
export function shownDifferences(
  name: string,
  real: readonly [unknown, unknown],
  shown: readonly [unknown, unknown],
): ApprovalDifference[] {
  return [...differentPaths(...real)].map((path) => {
    const [before = null, after = null] = shown.map((one) => textOf(valueAt(one, path)));
    const hidden = real.some((one, at) => textOf(valueAt(one, path)) !== textOf(valueAt(shown[at], path)));
    return { path: [name, ...path].join('.'), before, after, hidden };
  });
}

function plain(path: string, before: string | null, after: string | null): ApprovalDifference[] {
  return before === after ? [] : [{ path, before, after, hidden: false }];
}

/** What the version asks for: permits that go and come, and whether it declares any. */
function permitDifferences(codes: BotCodeSource, before: BotRow, after: BotRow): ApprovalDifference[] {
  const permitsOf = ({ userId, customBot, version }: BotRow) => codes.open(userId, customBot, version).permits;
  const [was, is] = [permitsOf(before), permitsOf(after)];
  const declared = (permits: typeof was): string => (permits === null ? 'none declared' : 'declared');
  const [had, has] = [permitLines(was), permitLines(is)];
  return [
    ...plain('permits', declared(was), declared(is)),
    ...had.filter((line) => !has.includes(line)).flatMap((line) => plain('permit', line, null)),
    ...has.filter((line) => !had.includes(line)).flatMap((line) => plain('permit', null, line)),
  ];
}

/**
 * Everything in which a bot differs after a change, for the person who approves it. Settings are those that the program gets, with
 * the defaults of its version. Throws CUSTOM_BOT_NOT_FOUND.
 */
export function instanceDifferences(codes: BotCodeSource, before: BotRow, after: BotRow): ApprovalDifference[] {
  const [was, is] = [setupOf(codes, before), setupOf(codes, after)];
  const settings = shownDifferences('config', [was.config, is.config], [was.shown, is.shown]);
  const isWritten = settings.length === 0 && JSON.stringify(before.config) !== JSON.stringify(after.config);
  return [
    ...plain('name', before.name, after.name),
    ...plain('version', before.version, after.version),
    ...plain('runtime', was.runtime, is.runtime),
    ...permitDifferences(codes, before, after),
    ...settings,
    ...(isWritten ? plain('config', 'as it is', 'written otherwise, with the same values') : []),
    ...plain('schedule', before.schedule, after.schedule),
    ...plain('timezone', before.timezone, after.timezone),
    ...plain('engine', before.engine, after.engine),
    ...shownDifferences('options', [before.options, after.options], [before.options, after.options]),
    ...plain('enabled', String(before.enabled), String(after.enabled)),
  ];
}
