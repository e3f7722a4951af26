import { afterEach, expect, it, vi } from 'vitest';
import {
  answerLeaving,
  leaveFor,
  leaveThen,
  markUnsaved,
  useUnsavedMarks,
} from '../../../../src/renderer/data/unsaved.ts';

const at = (path: string): URL => new URL(path, 'http://host');
afterEach(() => useUnsavedMarks.setState({ marks: new Map(), leaving: null }));

it('nothing is asked where nothing is unsaved, or where it stays in sight', () => {
  const go = vi.fn();
  leaveFor(at('/bots/a/config'), at('/'), go);
  markUnsaved(() => true);
  leaveFor(at('/bots/a/config'), at('/bots/a/config?x=1'), go);
  expect(go).toHaveBeenCalledTimes(2);
});

it('a way to another place waits for a yes, and for one only', () => {
  const go = vi.fn();
  markUnsaved(() => true);
  leaveFor(at('/bots/a/config'), at('/bots/b/config'), go);
  expect(go).not.toHaveBeenCalled();
  answerLeaving(false);
  expect(go).not.toHaveBeenCalled();
  leaveFor(at('/bots/a/config'), at('/bots/b/config'), go);
  answerLeaving(true);
  expect(go).toHaveBeenCalledOnce();
  leaveThen(go);
  expect(go).toHaveBeenCalledTimes(2);
});

it('a draft may belong to a part of its address', () => {
  const go = vi.fn();
  const saved = markUnsaved((_, to) => to.searchParams.get('custom_bot') === 'a');
  leaveFor(at('/deploy?custom_bot=a'), at('/deploy?custom_bot=a&version=2.0.0'), go);
  expect(go).toHaveBeenCalledOnce();
  leaveFor(at('/deploy?custom_bot=a'), at('/deploy?custom_bot=b'), go);
  expect(go).toHaveBeenCalledOnce();
  saved();
  leaveFor(at('/deploy?custom_bot=a'), at('/deploy?custom_bot=b'), go);
  expect(go).toHaveBeenCalledTimes(2);
});
