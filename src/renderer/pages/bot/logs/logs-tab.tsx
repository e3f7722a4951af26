import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useNow } from '../../../components/time.tsx';
import { choose, usePreferences } from '../../../data/preferences.ts';
import { useCall } from '../../../data/use-call.ts';
import { useReadEvery } from '../../../data/use-every-while-visible.ts';
import type { TabProps } from '../tab-props.ts';
import { isFiltered, NO_FILTER } from './log-filter.ts';
import { LogFoot } from './log-foot.tsx';
import { LogLine } from './log-line.tsx';
import { type ListHandle, LogList } from './log-list.tsx';
import { LogNothing } from './log-placeholder.tsx';
import { LogRule } from './log-separator.tsx';
import styles from './logs.module.css';
import { type Row, rowOf, toRows } from './rows.ts';
import { full, type Stamp, stamp as stamped } from './stamps.ts';
import { Toolbar } from './toolbar.tsx';
import { useDownload } from './use-download.ts';
import { useLineActions } from './use-line-actions.ts';
import { useLogMarks } from './use-log-marks.ts';
import { useLogs } from './use-logs.ts';
import { useWindowPlace } from './use-window-place.ts';

const TYPING_MS = 250;
/** The count of lines is read again so often while the page is looked at. */
const COUNT_MS = 5000;

/** The whole log of a bot, live at its end. */
export function LogsTab({ bot }: TabProps) {
  const botId = bot.bot_id;
  const list = useRef<ListHandle>(null);
  const searchInput = useRef<HTMLInputElement>(null);
  const { feed, state, search, found, address, filter, change } = useLogs(
    botId,
    () => list.current?.firstSeq() ?? null,
  );
  const zone = usePreferences((one) => one.zone);
  const wrap = usePreferences((one) => one.log_wrap);
  const relative = usePreferences((one) => one.log_relative);
  const stamp: Stamp = relative ? 'relative' : zone;
  const now = useNow();
  const marks = useLogMarks(botId, `${bot.updated_at} ${bot.status}`);
  const summary = useCall('logs.summary', { bot_id: botId });
  useReadEvery(COUNT_MS, summary);
  const download = useDownload(botId, bot.name);
  const [active, setActive] = useState<number | null>(address.line);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [first, setFirst] = useState<Row | null>(null);
  const [said, setSaid] = useState('');
  const [text, setText, commitText] = useTyped(address.search, (value) => change({ search: value }));
  const waiting = useRef<'older' | 'newer' | null>(null);

  const { window: held, atEnd } = state;
  const plain = filter.text === null && filter.level === null && filter.source === null;
  const events = useMemo(() => (plain ? marks : []), [plain, marks]);
  const rows = useMemo(
    () => toRows({ entries: held.entries, events, zone, atStart: held.atStart, atEnd }),
    [held, events, zone, atEnd],
  );
  const place = useWindowPlace(state);

  const say = useCallback((words: string) => setSaid((before) => (before === words ? `${words} ` : words)), []);
  const actions = useLineActions({ feed, list, say, setActive, setOpen });

  const goTo = (seq: number): void => {
    setActive(seq);
    feed.jumpTo(seq);
  };
  const step = (direction: 'older' | 'newer'): void => {
    // After Enter, the first hit is shown as soon as there is one.
    if (text !== found.text) {
      waiting.current = direction;
      commitText();
      return;
    }
    const from = active ?? held.entries.at(-1)?.seq ?? 0;
    void search.step(direction, active === null ? from + 1 : from).then((seq) => seq !== null && goTo(seq));
  };
  const latestStep = useRef(step);
  latestStep.current = step;
  const isFound = text !== '' && text === found.text && found.hits.length > 0;
  useEffect(() => {
    if (!isFound || waiting.current === null) return;
    latestStep.current(waiting.current);
    waiting.current = null;
  }, [isFound]);
  const move = (by: 1 | -1): void => {
    const at = active === null ? -1 : rowOf(rows, active);
    let next = at === -1 ? rowOf(rows, list.current?.firstSeq() ?? 0) : at + by;
    while (rows[next] !== undefined && rows[next]?.kind !== 'line') next += by;
    const row = rows[next];
    if (row === undefined) return;
    if (state.following && by === -1) feed.setFollowing(false);
    setActive(row.seq);
    list.current?.reveal(row.seq);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || (event.target instanceof HTMLElement && event.target.closest('button, a, input') !== null))
      return;
    const isCommand = event.ctrlKey || event.metaKey;
    const entry = held.entries.find((one) => one.seq === active);
    const keys: Readonly<Record<string, () => void>> = isCommand
      ? { f: () => searchInput.current?.select() }
      : {
          ArrowDown: () => move(1),
          ArrowUp: () => move(-1),
          Home: () => feed.jumpToStart(),
          End: () => feed.jumpToEnd(),
          Enter: () => active !== null && actions.toggle(active),
          '/': () => searchInput.current?.select(),
          c: () => entry !== undefined && actions.copy(entry),
          l: () => entry !== undefined && actions.link(entry),
          n: () => step('older'),
          N: () => step('newer'),
          w: () => choose({ log_wrap: !wrap }),
          Escape: () => setActive(null),
        };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };

  const row = (one: Row) => {
    if (one.kind !== 'line') return <LogRule key={one.key} row={one} botId={botId} zone={zone} />;
    const { entry, seq } = one;
    return (
      <LogLine
        key={one.key}
        entry={entry}
        at={stamped(entry.ts, stamp, now)}
        atTitle={`${full(entry.ts, zone)}\n${full(entry.ts, zone === 'UTC' ? 'local' : 'UTC')}`}
        search={address.search}
        isActive={seq === active}
        isHit={seq === found.current}
        isOpen={open.has(seq)}
        wrap={wrap}
        actions={actions}
      />
    );
  };

  return (
    <div className={styles.logs}>
      <Toolbar
        address={address}
        onAddress={change}
        text={text}
        onText={setText}
        search={found}
        searchRef={searchInput}
        onStep={step}
        onLeaveSearch={() => list.current?.focus()}
        wrap={wrap}
        onWrap={(next) => choose({ log_wrap: next })}
        stamp={stamp}
        onStamp={(next) => {
          choose(next === 'relative' ? { log_relative: true } : { log_relative: false, zone: next });
        }}
        zone={zone}
        onJump={(at) => void feed.jumpToTime(at)}
        isFiltered={isFiltered(filter)}
        isDownloading={download.lines !== null}
        onDownload={(what, form) => download.start(what === 'all' ? NO_FILTER : filter, form)}
      />
      {download.error === null ? null : <ErrorNote error={download.error} />}
      {found.error === null ? null : <ErrorNote error={found.error} />}
      <div className={styles.frame}>
        <LogNothing
          state={state}
          isFiltered={isFiltered(filter)}
          onClear={() => change({ level: null, source: null, from: null, to: null, run: null, only: false })}
          onRetry={() => feed.retry()}
        />
        <LogList
          ref={list}
          feed={feed}
          state={state}
          rows={rows}
          place={place}
          wrap={wrap}
          expanded={open}
          label={`Log of ${bot.name}`}
          row={row}
          onFirst={setFirst}
          onKeyDown={onKeyDown}
        />
        <LogFoot
          state={state}
          first={first}
          zone={zone}
          run={address.run}
          total={summary.data?.total ?? null}
          dropped={summary.data?.dropped ?? 0}
          download={download}
          onEnd={() => feed.jumpToEnd()}
          onPause={() => feed.setFollowing(false)}
          onRun={() => change({ run: null })}
        />
      </div>
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </div>
  );
}

/** A typed text: shown at once, committed a moment later, because the commit is expensive. */
function useTyped(
  value: string,
  commit: (value: string) => void,
): readonly [string, (value: string) => void, () => void] {
  const [text, setText] = useState(value);
  const latest = useRef(commit);
  latest.current = commit;
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), text === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return [text, setText, () => latest.current(text)];
}
