import { type ApprovalDifference, MOST_DIFFERENCES } from '../../../contract/approvals.ts';
import { invalid } from '../../../contract/errors.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { NetworkUse } from '../engine/engine.ts';
import type { BotCodeSource } from './bot-code.ts';
import type { Isolation } from './isolation.ts';
import { permitDifferences } from './permit-differences.ts';
import { type ChangedConfig, type ChangeReader, settingsFor } from './settings-for-reader.ts';
import type { UnitSpecs } from './unit-spec.ts';
import { hidingChanges, valueDifferences } from './value-differences.ts';

export interface DifferencesDeps {
  readonly codes: BotCodeSource;
  readonly isolation: Pick<Isolation, 'levelOf'>;
  readonly unitSpecs: Pick<UnitSpecs, 'networked'>;
}

const USE_WORDS: Readonly<Record<NetworkUse, string>> = {
  machine: 'the network of this machine',
  own: 'a network of its engine, past the gate',
  gate: 'the gate alone',
  none: 'none',
};

function plain(path: string, before: string | null, after: string | null): ApprovalDifference[] {
  return before === after ? [] : [{ path, before, after, hidden: false }];
}

const HIDING_WORDS = {
  hidden: { before: 'this setting is shown', after: 'the new version hides this setting' },
  shown: { before: 'this setting is hidden', after: 'the new version shows this setting to whoever reads the bot' },
} as const;

/** Settings that differ, and those of which the versions hide not the same. */
function settingDifferences(changed: ChangedConfig, reader: ChangeReader): ApprovalDifference[] {
  const { present, next, before, after } = changed;
  const shown = settingsFor(reader, changed);
  const is = { real: after, shown: shown(after) };
  const hiding = [...hidingChanges('config', is, present.redact(after), next.redact(after))];
  return [
    ...hiding.flatMap(({ path, becomes }) => plain(path, HIDING_WORDS[becomes].before, HIDING_WORDS[becomes].after)),
    ...valueDifferences('config', { real: before, shown: shown(before) }, is),
  ];
}

/**
 * Everything in which a bot differs after a change: what it runs on and may reach first, then its settings as the program gets them,
 * with the defaults of its version. Throws CUSTOM_BOT_NOT_FOUND.
 */
export function instanceDifferences(
  { codes, isolation, unitSpecs }: DifferencesDeps,
  before: BotRow,
  after: BotRow,
  reader: ChangeReader,
): ApprovalDifference[] {
  const codeOf = ({ userId, customBot, version }: BotRow) => codes.open(userId, customBot, version);
  const [present, next] = [codeOf(before), codeOf(after)];
  const changed = {
    ...{ present, next },
    before: present.validate(before.config).effective,
    after: next.validate(after.config).effective,
  };
  const settings = settingDifferences(changed, reader);
  const isWritten = settings.length === 0 && JSON.stringify(before.config) !== JSON.stringify(after.config);
  const useOf = (bot: BotRow): string => USE_WORDS[unitSpecs.networked(bot).use];
  const optionsOf = ({ options }: BotRow) => ({ real: options, shown: options });
  return [
    ...plain('version', before.version, after.version),
    ...plain('runtime', present.runtime, next.runtime),
    ...plain('engine', before.engine, after.engine),
    ...plain('isolation', isolation.levelOf(before.engine), isolation.levelOf(after.engine)),
    ...plain('network', useOf(before), useOf(after)),
    ...permitDifferences(present.permits, next.permits),
    ...plain('schedule', before.schedule, after.schedule),
    ...plain('timezone', before.timezone, after.timezone),
    ...valueDifferences('options', optionsOf(before), optionsOf(after)),
    ...plain('enabled', String(before.enabled), String(after.enabled)),
    ...plain('name', before.name, after.name),
    ...settings,
    ...(isWritten ? plain('config', 'as it is', 'written otherwise, with the same values') : []),
  ];
}

/** Throws INVALID_REQUEST for a change that no person could read before they approve it. */
export function assertReadable(differences: readonly ApprovalDifference[]): void {
  if (differences.length <= MOST_DIFFERENCES) return;
  const message = `differs in ${differences.length} values, and a change that a person has to approve may differ in ${MOST_DIFFERENCES}`;
  const hint = 'Nothing was changed and nothing waits. Ask for it in smaller steps, or have a person make the change.';
  throw invalid('INVALID_REQUEST', [{ path: 'config', message, hint }]);
}
