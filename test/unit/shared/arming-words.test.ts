import { expect, it } from 'vitest';
import { protectionWords } from '../../../src/shared/arming-words.ts';

it.each([
  ['gone', null, /^Its engine gone is not on this host\.$/],
  ['process', 'none', /without isolation/],
  ['sandbox', 'partial', /network is not limited on this machine, so it can send its secrets anywhere/],
  ['sandbox', 'sandbox', /isolated from the rest of this machine/],
  ['docker', 'container', /isolated from the rest of this machine/],
])('whoever arms a bot on engine %s with isolation %s reads what that keeps away', (engine, level, words) => {
  expect(protectionWords(engine, level)).toMatch(words);
  expect(protectionWords(engine, level).includes('isolated from')).toBe(level === 'sandbox' || level === 'container');
});
