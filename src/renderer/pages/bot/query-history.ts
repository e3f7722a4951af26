import { create } from 'zustand';
import type { QueryAnswer } from '../../../contract/query.ts';
import type { HostError } from '../../data/host-error.ts';
import type { ParamRow, Question } from './query-form.ts';

/** A question with everything needed to repeat it, and its outcome. */
export interface Asked {
  readonly id: number;
  readonly at: string;
  readonly question: Question;
  readonly rows: readonly ParamRow[];
  readonly answer: QueryAnswer | null;
  readonly error: HostError | null;
}

const MOST = 30;

/** Questions since the page was loaded, by bot, newest first. Answers may hold anything, so nothing is stored. */
export const useHistory = create<ReadonlyMap<string, readonly Asked[]>>(() => new Map());

let lastId = 0;

export function remember(botId: string, asked: Omit<Asked, 'id'>): Asked {
  lastId += 1;
  const entry = { ...asked, id: lastId };
  const before = useHistory.getState();
  useHistory.setState(new Map(before).set(botId, [entry, ...(before.get(botId) ?? [])].slice(0, MOST)), true);
  return entry;
}
