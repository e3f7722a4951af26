import { describe, expect, it } from 'vitest';
import { moreProblems } from '../../../../src/contract/cut-problem-list.ts';
import { invalid } from '../../../../src/contract/errors.ts';
import { errorWords } from '../../../../src/renderer/components/error-words.ts';
import { HostError } from '../../../../src/renderer/data/host-error.ts';

const words = (problems: Parameters<typeof invalid>[1]) => errorWords(invalid('INVALID_CONFIG', problems));
const short = { path: 'config.short_period', message: 'must be at least 2', hint: 'Days in the short average.' };
const long = { path: 'config.long_period', message: 'must be a whole number' };

describe('errorWords', () => {
  it('tells one problem once, by message and hint', () => {
    expect(words([short])).toEqual({
      message: 'config.short_period: must be at least 2',
      problems: [],
      hint: 'Days in the short average.',
      text: 'INVALID_CONFIG: config.short_period: must be at least 2\nDays in the short average.',
    });
  });

  it('tells several in a list only, each with what to do about it', () => {
    expect(words([short, long])).toEqual({
      message: 'The configuration has 2 problems:',
      problems: [short, long],
      hint: null,
      text: 'INVALID_CONFIG: The configuration has 2 problems:\n- config.short_period: must be at least 2 Days in the short average.\n- config.long_period: must be a whole number',
    });
  });

  it('tells a hint once also where its command is typed otherwise here', () => {
    const asked = { path: 'config.x', message: 'is unknown', hint: 'See `platform bot schema`.' };
    const { code, hint, details, message } = invalid('INVALID_CONFIG', [asked, long]);
    const told = errorWords(new HostError({ code, message, hint, details, request_id: null }));
    expect([told.hint, told.problems[0]?.hint]).toEqual([null, 'See `npx platform bot schema`.']);
  });

  it('counts the problems that the last one of a cut list stands for', () => {
    expect(words([short, long, { path: 'config', message: moreProblems(150) }]).message).toBe(
      'The configuration has 152 problems:',
    );
  });

  it('leaves a message that says something of its own, and its hint', () => {
    const own = { code: 'NAME_TAKEN', message: 'Not now', hint: 'Later.', details: [long], requestId: 'req_1' };
    expect(errorWords(own)).toMatchObject({ message: 'Not now', problems: [long], hint: 'Later.' });
    expect(errorWords({ ...own, details: [short, long] }).message).toBe('Not now');
    expect(errorWords({ ...own, details: null })).toMatchObject({
      problems: [],
      text: 'NAME_TAKEN: Not now\nLater.\nreq_1',
    });
  });
});
