import { describe, expect, it } from 'vitest';
import { type AuditWords, deedOf, fieldsOf, givenField } from '../../../src/contract/audit-words.ts';
import { OPERATIONS, type Operation } from '../../../src/contract/operations.ts';
import { ASSISTANT_WORDS } from '../../../src/main/host/mcp/tool-audit-words.ts';
import { EXTENDED_TOOLS } from '../../../src/main/host/mcp/tools/extended.ts';
import { TOOLS } from '../../../src/main/host/mcp/tools/tools.ts';

const SAVED: AuditWords = ['saved', 'save', '[{path}|a file][ in project {project}]'];
const WORDED = (Object.entries(OPERATIONS) as [string, Operation][]).flatMap(([name, { audit, input, kind }]) =>
  audit === null ? [] : [{ name, audit, input, kind }],
);
/** Names that the host finds for what an id of the input stands for. */
const OF_IDS: Readonly<Record<string, string>> = {
  bot: 'bot_id',
  asked_by: 'bot_id',
  project: 'project_id',
  api_key: 'key_id',
  user: 'user_id',
};
/** Told by the answer: an upload has no input, and a project's publication none but the project. */
const BY_ANSWER = ['custom_bots.publish', 'projects.publish'];

describe('a deed', () => {
  it.each([
    [{ path: 'main.py', project: 'my-bot' }, 'ok', 'saved main.py in project my-bot'],
    [{ path: 'main.py', project: 'my-bot' }, 'FILE_CHANGED', 'tried to save main.py in project my-bot'],
    [{ path: 'main.py' }, 'asked', 'asked to save main.py'],
    [{ path: 'main.py' }, 'declined', 'asked to save main.py'],
    [{ path: 'main.py' }, 'waiting', 'asked to save main.py'],
    [{}, 'ok', 'saved a file'],
    [{ path: '[{project}|x]', project: '$&' }, 'ok', 'saved [{project}|x] in project $&'],
  ])('of %j that ended with %s reads well', (names, outcome, words) => {
    expect(deedOf(SAVED, names, outcome)).toBe(words);
  });
});

describe('the words of operations', () => {
  it.each(WORDED)('of $name name fields that it has, and read well without any', ({ name, audit, input, kind }) => {
    const shape = 'shape' in input ? Object.keys(input.shape as object) : [];
    const unknown = fieldsOf(audit).filter((field) => !shape.includes(givenField(field) ?? OF_IDS[field] ?? field));
    if (kind === 'upload' || BY_ANSWER.includes(name)) expect(unknown).toEqual(['name', 'version']);
    else expect(unknown).toEqual([]);
    for (const outcome of ['ok', 'INTERNAL']) {
      expect(deedOf(audit, {}, outcome)).toMatch(/^[a-z]+( ([a-z-]+|PIN))*$/);
    }
  });

  it('name no field that holds a secret or a whole content', () => {
    const fields = new Set(
      WORDED.flatMap(({ audit }) => fieldsOf(audit)).filter((field) => givenField(field) === null),
    );
    expect([...fields].filter((field) => /pass|token|ticket|secret|code|content|config|value/.test(field))).toEqual([]);
  });

  it('are there for every tool and method that assistants are told of by', () => {
    for (const { name, audit } of [...TOOLS, ...EXTENDED_TOOLS]) expect(ASSISTANT_WORDS.get(`mcp ${name}`)).toBe(audit);
    for (const method of ['tools/call', 'resources/read', 'prompts/get']) {
      expect(ASSISTANT_WORDS.has(`mcp ${method}`)).toBe(true);
    }
    expect(ASSISTANT_WORDS.has('bots.deploy')).toBe(false);
  });
});
