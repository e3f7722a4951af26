import type { Approval, ListedApproval } from '../../../contract/approvals.ts';
import type { Bot, BotChange, UpdateRequest } from '../../../contract/bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { stableStringify } from '../../../shared/json.ts';
import type { Armings } from '../arming/armings.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { StagedRow } from '../control/staged-store.ts';
import type { Engines } from '../engine/engines.ts';
import type { NamedSecrets } from '../vault/named-secrets.ts';
import { type ChangedInstance, changedInstance, setupOf } from './changed-instance.ts';
import { currentBot, unchangedBot } from './current-bot.ts';
import { checkAsked, checkEngineOptions } from './engine-choice.ts';
import { setupChanges } from './failure/setup-changes.ts';
import { assertReadable, type DifferencesDeps, instanceDifferences } from './instance-differences.ts';
import { readUpdateRequest } from './instance-request.ts';
import type { Instances } from './instances.ts';
import type { Journal } from './journal.ts';
import { reason } from './reasons.ts';
import type { ChangeReader } from './settings-for-reader.ts';
import type { AskedBy, StagedChanges } from './staged-changes.ts';
import type { Supervisor } from './supervisor.ts';
import type { BotRecords } from './wire-records.ts';

export interface ApprovalsDeps extends DifferencesDeps {
  readonly staged: StagedChanges;
  readonly bots: Pick<BotStore, 'get'>;
  readonly engines: Engines;
  readonly armings: Pick<Armings, 'shown' | 'remembers' | 'checkNotEnded' | 'checkByHand' | 'afterChange'>;
  readonly secrets: Pick<NamedSecrets, 'assertKnown'>;
  readonly journal: Pick<Journal, 'change'>;
  readonly supervisor: Pick<Supervisor, 'exclusively' | 'liveRuns'>;
  readonly instances: Pick<Instances, 'update'>;
  readonly records: Pick<BotRecords, 'of'>;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

const ofProgram = ({ version, schedule, timezone, config, options, engine }: ChangedInstance): string =>
  stableStringify({ version, schedule, timezone, config, options, engine });

/** What would change, in words. A config can be written otherwise and come to the same values. */
const wordsOf = (changes: readonly BotChange[]): readonly string[] =>
  changes.length === 0 ? ['Config: written otherwise, with the same values'] : changes.map(({ message }) => message);

function outdated(bot: BotRow): PlatformError {
  return new PlatformError('STALE_GENERATION', `${bot.name} has changed since this was asked for`, {
    hint: 'Nothing was changed. Reject this, and have it asked for again.',
    details: { generation: bot.generation },
  });
}

function otherContent({ name }: BotRow, version: string): PlatformError {
  return new PlatformError(
    'STALE_GENERATION',
    `Version ${version}, which ${name} would run, has other content than was asked for`,
    {
      hint: 'Nothing was changed. Reject this, look at the version, and have the change asked for again.',
    },
  );
}

/** Changes that keys ask of armed bots: staged, then made once a person approves them, by the same path as a person's own. */
export class Approvals {
  readonly #deps: ApprovalsDeps;

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
  }

  /**
   * True for a bot of which only a person changes what runs, and when: one with an arming, however that stands, and one with live
   * secrets that is enabled or at work.
   */
  needsPerson(bot: BotRow): boolean {
    const { armings, supervisor } = this.#deps;
    if (armings.remembers(bot.botId)) return true;
    if (armings.shown(bot) === null) return false;
    return bot.enabled || supervisor.liveRuns(bot.botId).length > 0;
  }

  /**
   * Has a change of a key wait for a person. `free`: no person is needed, and `same`: the change leaves what runs as it is;
   * nothing waits then. Throws what the change itself would, but nothing about values that are hidden from the key.
   */
  async stage(given: BotRow, body: UpdateRequest, by: AskedBy): Promise<'waits' | 'same' | 'free'> {
    if (!this.needsPerson(given)) return 'free';
    const { armings, bots, codes, engines, journal, staged, supervisor, now } = this.#deps;
    await checkAsked(engines, given.engine, readUpdateRequest(body, given.flat).options);
    return await supervisor.exclusively(given.botId, () => {
      const bot = unchangedBot(bots, given, body.if_generation);
      if (!this.needsPerson(bot)) return 'free';
      const after = changedInstance(codes, bot, body, 'key');
      checkEngineOptions(engines, after.options, after.engine);
      if (ofProgram(after) === ofProgram(bot)) return 'same';
      armings.checkNotEnded(bot);
      assertReadable(instanceDifferences(this.#deps, bot, { ...bot, ...after }, 'person'));
      const { bot_id: _, if_generation: __, ...request } = body;
      if (this.#waitsAlready(bot, request)) return 'waits';
      this.#dropOutdated(bot);
      const changes = wordsOf(setupChanges(setupOf(codes, bot), setupOf(codes, { ...bot, ...after })));
      const hint = `A person approves or rejects it, with their PIN: \`platform approvals show ${bot.botId}\`.`;
      const why = reason('CHANGE_WAITS', `${by.name} asks for a change: ${changes.join('; ')}`, hint, now());
      const { version } = after;
      const versionHash = this.#hashOf(bot, version);
      const also = (): void => staged.hold(bot, { request, version, versionHash, changes }, by);
      journal.change(bot.botId, {}, { kind: 'change_waits', why, also });
      return 'waits';
    });
  }

  /** Everything that waits in bots of a user for which `reaches` is true. */
  list(userId: string, reaches: (botId: string) => boolean, reader: ChangeReader): ListedApproval[] {
    const { staged, bots } = this.#deps;
    return staged.all().flatMap((row) => {
      const bot = bots.get(row.botId);
      const isTheirs =
        bot !== null && !bot.deleting && bot.trash === null && bot.userId === userId && reaches(row.botId);
      return isTheirs ? this.#described(bot, row, reader) : [];
    });
  }

  /** Throws APPROVAL_NOT_FOUND. */
  get(bot: BotRow, reader: ChangeReader): Approval {
    const row = this.#deps.staged.of(bot.botId);
    const [found] = row === null ? [] : this.#described(bot, row, reader);
    if (row === null || found === undefined) throw new PlatformError('APPROVAL_NOT_FOUND');
    return { ...found, differences: found.status === 'outdated' ? [] : this.#differences(bot, row, reader) };
  }

  /** Makes a change that waits. `by` names the person, who has entered their PIN. */
  async approve(given: BotRow, changeId: string, by: string): Promise<Bot> {
    const { armings, staged, secrets, instances } = this.#deps;
    const row = staged.named(given.botId, changeId);
    if (row.generation !== given.generation) throw outdated(given);
    const request = staged.requestOf(row);
    secrets.assertKnown(given.userId, request);
    const message = `${row.askedBy} asked for it, ${by} approved it`;
    return await instances.update(
      given,
      { ...request, bot_id: given.botId, if_generation: row.generation },
      {
        notes: [{ what: 'approval', message }],
        inPerson: () => by,
        check: (before) => armings.checkByHand(before),
        also: () => {
          this.#checkContent(given, staged.named(given.botId, changeId));
          staged.drop(given.botId);
        },
      },
    );
  }

  /** Drops a change that waits. */
  async reject(given: BotRow, changeId: string, by: string): Promise<Bot> {
    const { staged, bots, records, supervisor } = this.#deps;
    await supervisor.exclusively(given.botId, () => {
      const row = staged.named(given.botId, changeId);
      this.#drop(row, 'REJECTED', `${by} rejected what ${row.askedBy} asked for`);
    });
    return records.of(currentBot(bots, given));
  }

  /** Drops what has waited too long, and what a key has asked that was revoked. Call every minute, and when a key is revoked. */
  dropOver(): void {
    const { staged } = this.#deps;
    for (const row of staged.over()) {
      const { askedBy } = row;
      try {
        if (staged.isExpired(row))
          this.#drop(row, 'CHANGE_EXPIRED', `Nobody approved in time what ${askedBy} asked for`);
        else this.#drop(row, 'KEY_REVOKED', `The ${askedBy}, which asked for it, was revoked`);
      } catch (error) {
        // A full disk: it is not shown any more, and cannot be approved.
        this.#deps.onError(`what waits for a person of ${row.botId}`, error);
      }
    }
  }

  /** What takes its place is told anew: the user has settled what is outdated by changing the bot. */
  #dropOutdated(bot: BotRow): void {
    this.dropOver();
    const row = this.#deps.staged.of(bot.botId);
    if (row === null || row.generation === bot.generation) return;
    this.#drop(row, 'OUTDATED', `The bot has changed since the ${row.askedBy} asked for it`);
  }

  #drop({ botId }: StagedRow, code: string, message: string): void {
    const { journal, staged, now } = this.#deps;
    const why = reason(code, message, null, now());
    journal.change(botId, {}, { kind: 'change_dropped', why, also: () => staged.drop(botId) });
  }

  #hashOf({ userId, customBot }: BotRow, version: string): string {
    return this.#deps.codes.open(userId, customBot, version).hash;
  }

  /** Throws unless the version that a change would have run is what it was when that was asked for, which the person has read. */
  #checkContent(bot: BotRow, { version, versionHash }: StagedRow): void {
    if (this.#hashOf(bot, version) !== versionHash) throw otherContent(bot, version);
  }

  /** True for a request that is sent again: an assistant repeats what got no answer. */
  #waitsAlready(bot: BotRow, request: object): boolean {
    const { staged } = this.#deps;
    const row = staged.of(bot.botId);
    if (row === null || row.generation !== bot.generation) return false;
    // What nothing opens any more is taken for another request, which takes its place.
    const waiting = staged.opened(row);
    return waiting !== null && stableStringify(waiting) === stableStringify(request);
  }

  #described(bot: BotRow, row: StagedRow, reader: ChangeReader): ListedApproval[] {
    const shown = this.#deps.staged.shown(bot);
    if (shown === null) return [];
    const problem = shown.status === 'outdated' ? outdated(bot).message : this.#problem(bot, row, reader);
    const { botId: bot_id, name, customBot } = bot;
    return [{ ...shown, bot_id, bot: name, type: `${bot.type}/${customBot}`, client: row.client, problem }];
  }

  #after(bot: BotRow, row: StagedRow, reader: ChangeReader): BotRow {
    const { codes, staged } = this.#deps;
    this.#checkContent(bot, row);
    return { ...bot, ...changedInstance(codes, bot, { ...staged.requestOf(row), bot_id: bot.botId }, reader) };
  }

  /** Why a change cannot be made, as far as that can be told before it is tried, and its reader may know. */
  #problem(bot: BotRow, row: StagedRow, reader: ChangeReader): string | null {
    try {
      const after = this.#after(bot, row, reader);
      this.#deps.armings.checkByHand(bot);
      this.#deps.armings.afterChange(bot, after);
      return null;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return error.message;
    }
  }

  /** What a change would make different; nothing of one that cannot be read now, of which its problem tells. */
  #differences(bot: BotRow, row: StagedRow, reader: ChangeReader): Approval['differences'] {
    try {
      return instanceDifferences(this.#deps, bot, this.#after(bot, row, reader), reader);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return [];
    }
  }
}
