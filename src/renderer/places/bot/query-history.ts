import { create } from 'zustand';
import type { QueryAnswer } from '../../../contract/query.ts';
import type { HostError } from '../../data/host-error.ts';
import type { ParamRow, Question } from './query-snippets.ts';

/** A question that was asked, with what it needs to be asked again and what came of it. */
export interface Asked {
  readonly id: number;
  readonly at: string;
  readonly question: Question;
  readonly rows: readonly ParamRow[];
  readonly answer: QueryAnswer | null;
  readonly error: HostError | null;
}

const MOST = 30;

/** What was asked since the page was loaded, by bot, newest first. Answers may hold anything, so nothing is stored. */
export const useHistory = create<ReadonlyMap<string, readonly Asked[]>>(() => new Map());

let lastId = 0;

export function remember(botId: string, asked: Omit<Asked, 'id'>): Asked {
  lastId += 1;
  const entry = { ...asked, id: lastId };
  const before = useHistory.getState();
  useHistory.setState(new Map(before).set(botId, [entry, ...(before.get(botId) ?? [])].slice(0, MOST)), true);
  return entry;
}
