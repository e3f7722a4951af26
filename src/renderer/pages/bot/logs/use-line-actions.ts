import { type Dispatch, type RefObject, type SetStateAction, useMemo } from 'react';
import type { LogEntry } from '../../../../contract/telemetry.ts';
import { copyText } from '../../../components/copy-text.ts';
import { asText } from './line-formats.ts';
import type { LineActions } from './log-line.tsx';
import type { ListHandle } from './log-list.tsx';
import type { useLogs } from './use-logs.ts';

interface LineActionsOptions {
  readonly feed: ReturnType<typeof useLogs>['feed'];
  readonly list: RefObject<ListHandle | null>;
  /** Tells a reader who does not look at the page which action was done. */
  readonly say: (words: string) => void;
  readonly setActive: Dispatch<SetStateAction<number | null>>;
  readonly setOpen: Dispatch<SetStateAction<ReadonlySet<number>>>;
}

/** Returns the actions on a line of the log. */
export function useLineActions({ feed, list, say, setActive, setOpen }: LineActionsOptions): LineActions {
  return useMemo<LineActions>(() => {
    const write = (value: string, words: string): void => {
      void copyText(value).then((done) => say(done ? words : 'The browser did not let this page copy'));
    };
    return {
      activate: (seq) => {
        // A selected line should stay where it is.
        feed.setFollowing(false);
        setActive(seq);
      },
      toggle: (seq) => {
        setOpen((before) => {
          const next = new Set(before);
          if (!next.delete(seq)) next.add(seq);
          return next;
        });
        // Its height is known once it is drawn.
        requestAnimationFrame(() => list.current?.reveal(seq));
      },
      copy: (entry: LogEntry) => write(asText(entry), 'Line copied'),
      link: (entry: LogEntry) => {
        const link = new URL(window.location.href);
        link.searchParams.set('line', String(entry.seq));
        link.hash = '';
        write(link.href, 'Link copied');
      },
    };
  }, [feed, list, say, setActive, setOpen]);
}
