import { Send } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Ticked } from '../../components/backtick-text.tsx';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { toHostError } from '../../data/host-error.ts';
import { useCall } from '../../data/use-call.ts';
import { useOnChange, useReadEvery } from '../../data/use-every-while-visible.ts';
import styles from './query.module.css';
import { type ParamRow, pathsOf, type Question, readParams } from './query-form.ts';
import { type Asked, remember, useHistory } from './query-history.ts';
import { ParamRows } from './query-params.tsx';
import { Answer, History, Snippets } from './query-result.tsx';
import type { TabProps } from './tab-props.ts';

const INFO = '/info';
const LONGEST_SEC = 120;
const AGAIN_MS = 2000;

function timeoutProblem(text: string): string | undefined {
  const value = Number(text);
  return text === '' || (value > 0 && value <= LONGEST_SEC) ? undefined : `Must be from 0.1 to ${LONGEST_SEC} seconds`;
}

/** Queries a bot: its handlers, their parameters, and its answer. */
export function Query({ bot }: TabProps) {
  const { socket } = useHost();
  const [wanted, setWanted] = useState(false);
  const isUp = bot.status === 'running' && bot.type.startsWith('realtime/');
  // A bot that does not run would be started for the answer: that is the user's decision.
  const info = useCall('bots.query', isUp || wanted ? { bot_id: bot.bot_id, path: INFO } : null);
  const history = useHistory((one) => one.get(bot.bot_id)) ?? [];
  const [path, setPath] = useState<string | null>(null);
  const [rows, setRows] = useState<readonly ParamRow[]>([]);
  const [timeout, setTimeoutText] = useState('');
  const [shownId, setShownId] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  useOnChange(bot.version, info.reload);
  // A bot that just started runs before it can answer; one without handlers gets none before its next version.
  useReadEvery(AGAIN_MS, info, isUp && info.error !== null && info.error.code !== 'QUERY_PATH_NOT_FOUND');
  const paths = pathsOf(info.data?.result);
  if (info.data === null && info.error?.code === 'QUERY_PATH_NOT_FOUND' && paths.length === 0) {
    return (
      <Empty title="It answers no queries">
        <p>
          <Ticked text={info.error.hint ?? info.error.message} />
        </p>
      </Empty>
    );
  }
  const asked = path ?? paths[0] ?? '';
  const params = readParams(rows);
  const wrongTime = timeoutProblem(timeout);
  const question: Question = {
    path: asked,
    params: params.ok ? params.params : {},
    timeoutSec: timeout === '' || wrongTime !== undefined ? null : Number(timeout),
  };
  const isReady = asked.startsWith('/') && params.ok && wrongTime === undefined;
  const ask = async (): Promise<void> => {
    setBusy(true);
    const at = new Date().toISOString();
    const { timeoutSec } = question;
    const outcome = await socket
      .read('bots.query', {
        bot_id: bot.bot_id,
        path: question.path,
        params: { ...question.params },
        ...(timeoutSec === null ? {} : { timeout_sec: timeoutSec }),
      })
      .then(
        (answer) => ({ answer, error: null }),
        (thrown) => ({ answer: null, error: toHostError(thrown) }),
      );
    setShownId(remember(bot.bot_id, { at, question, rows, ...outcome }).id);
    setBusy(false);
  };
  const again = (one: Asked): void => {
    setPath(one.question.path);
    setRows(one.rows);
    setTimeoutText(one.question.timeoutSec === null ? '' : String(one.question.timeoutSec));
    setShownId(one.id);
  };
  const shown = history.find((one) => one.id === shownId) ?? null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady && !isBusy) void ask();
  };
  return (
    <div className={styles.query}>
      <form className={styles.form} onSubmit={submit}>
        <Handlers
          paths={paths}
          chosen={asked}
          onChoose={setPath}
          isLoading={(isUp || wanted) && info.data === null && info.error === null}
        />
        {isUp || wanted ? null : (
          <div>
            <Button onClick={() => setWanted(true)}>Ask what it answers</Button>
          </div>
        )}
        {info.error === null ? null : <ErrorNote error={info.error} />}
        <Field
          label="Path"
          value={asked}
          onChange={setPath}
          spellCheck={false}
          autoComplete="off"
          problem={asked === '' || asked.startsWith('/') ? undefined : 'A path starts with /'}
        />
        <ParamRows rows={rows} problems={params.ok ? null : params.problems} onChange={setRows} />
        <div className={styles.last}>
          <Field
            label="Time-out, seconds"
            value={timeout}
            onChange={setTimeoutText}
            inputMode="decimal"
            placeholder="30"
            problem={wrongTime}
          />
          <Button kind="primary" type="submit" icon={<Send aria-hidden="true" />} disabled={!isReady} busy={isBusy}>
            Ask
          </Button>
        </div>
        {isUp ? null : <p className={styles.hint}>It does not run now: its query program is started for the answer.</p>}
      </form>
      <div className={styles.right}>
        {shown === null ? null : <Answer asked={shown} />}
        {asked === '' ? null : <Snippets botId={bot.bot_id} question={question} />}
        <History items={history} shownId={shownId} onChoose={again} />
      </div>
    </div>
  );
}

function Handlers({
  paths,
  chosen,
  onChoose,
  isLoading,
}: {
  readonly paths: readonly string[];
  readonly chosen: string;
  readonly onChoose: (path: string) => void;
  readonly isLoading: boolean;
}) {
  if (isLoading) return <Skeleton rows={2} label="Asking the bot what it answers" />;
  if (paths.length === 0) return null;
  return (
    <fieldset className={styles.handlers}>
      <legend>Handlers</legend>
      {paths.map((path) => (
        <button
          key={path}
          type="button"
          className={styles.handler}
          aria-pressed={path === chosen}
          onClick={() => onChoose(path)}
        >
          {path}
        </button>
      ))}
    </fieldset>
  );
}
