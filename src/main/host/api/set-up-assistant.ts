import { statSync } from 'node:fs';
import type { ApiKey, NewApiKey } from '../../../contract/account.ts';
import type { AssistantSetUp, AssistantSetUpRequest } from '../../../contract/assistant.ts';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { entryIn, readConfig, withEntries, writeEntries } from '../../../node/assistant-file.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { type AssistantName, assistantTitle, isAssistant, type Reach, setupsOf } from '../../../shared/assistants.ts';
import type { NewKey } from '../auth/api-keys.ts';

/** The host's own machine, as an assistant there reaches the host. */
export type OwnReach = Omit<Reach, 'extended'>;

/** What setting an assistant up takes of the host. */
export interface AssistantSetUpParts {
  /** True if other machines can reach the host: its callers may then sit at any of them. */
  readonly reachable: boolean;
  readonly reach: () => OwnReach;
  readonly keys: {
    list(userId: string): readonly ApiKey[];
    create(userId: string, input: NewKey): NewApiKey;
    revoke(userId: string, keyId: string): void;
  };
}

/** A file of settings is far smaller; a larger one would keep the host busy. */
const MOST_BYTES = 16 * 1024 * 1024;
const BY_HAND = 'Put the entry in by hand: "Make a key" on the page of assistants shows it.';

function assistantOf(name: string): Exclude<AssistantName, 'generic'> {
  if (isAssistant(name) && name !== 'generic') return name;
  const message = name === 'generic' ? 'the file of any other assistant is not known' : `"${name}" is no assistant`;
  throw invalid('INVALID_REQUEST', [
    { path: 'name', message, hint: 'GET /api/v1/assistants lists those that are known.' },
  ]);
}

function refuseOthers({ reachable }: AssistantSetUpParts): void {
  if (!reachable) return;
  throw new PlatformError(
    'FORBIDDEN',
    'This host writes no file of an assistant, because other machines can reach it',
    {
      hint: 'Run `platform connect NAME --write` on the machine of the assistant.',
    },
  );
}

function checkFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  const fault = !found.isFile() ? 'is no file' : found.size > MOST_BYTES ? 'is larger than 16 MB' : null;
  if (fault !== null) throw new PlatformError('INVALID_REQUEST', `${file} ${fault}`, { hint: BY_HAND });
}

/** Says of an error of the file system which file it was about. */
function namingFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = systemErrorCode(error);
    if (error instanceof PlatformError || code === null) throw error;
    throw new PlatformError('INVALID_REQUEST', `${file} cannot be written (${code})`, { hint: BY_HAND, cause: error });
  }
}

/**
 * Makes a key for an assistant on the host's own machine and writes it into the assistant's file, with a copy of the old file
 * beside it. A key that is not written is revoked again. Throws FORBIDDEN on a host that other machines reach, INVALID_REQUEST for
 * an unknown assistant, and for a file that cannot be changed.
 */
export function setUpAssistant(
  parts: AssistantSetUpParts,
  userId: string,
  asked: AssistantSetUpRequest,
): AssistantSetUp {
  const assistant = assistantOf(asked.name);
  refuseOthers(parts);
  const extended = asked.extended ?? false;
  const reach: Reach = { ...parts.reach(), extended };
  const plain = setupsOf(assistant, reach, null);
  const [{ file: known, keyIn, next, notes }] = plain;
  const file = known ?? '';
  return namingFile(file, () => {
    checkFile(file);
    const before = readConfig(file);
    // Refuses a file that cannot be changed before a key is made for it.
    withEntries(before, plain, file);
    const entries = plain.map((setup) => ({ server: setup.server, text: entryIn(before ?? '', setup, file) }));
    const held = parts.keys
      .list(userId)
      .filter(({ key_id, revoked_at }) => revoked_at === null && entries.some(({ text }) => text.includes(key_id)))
      .map(({ key_id, name }) => ({ key_id, name }));
    const { key: secret, ...key } = parts.keys.create(userId, {
      name: assistantTitle(assistant),
      scope: asked.scope ?? 'deploy',
      bots: asked.bots,
      extended: extended || undefined,
    });
    try {
      return {
        title: assistantTitle(assistant),
        file,
        backup: writeEntries(setupsOf(assistant, reach, secret, key.key_id), file),
        changes: entries.map(({ server, text }) => ({ server, change: text === '' ? 'added' : 'replaced' })),
        key,
        secret: keyIn === 'question' ? secret : null,
        replaced_keys: held,
        next,
        notes: [...notes],
      };
    } catch (error) {
      parts.keys.revoke(userId, key.key_id);
      throw error;
    }
  });
}
