import { RotateCw, ShieldAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { VIEW_CAGE_PATH } from '../../../../shared/view-markup.ts';
import { Button } from '../../../components/button.tsx';
import { Confirm } from '../../../components/confirm.tsx';
import { Empty } from '../../../components/empty.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useOpenDialog } from '../../../components/use-open-dialog.ts';
import { useViewDocument } from '../../../data/use-view-document.ts';
import { Overview } from '../overview.tsx';
import type { TabProps } from '../tab-props.ts';
import { useFrame } from './use-frame.ts';
import styles from './view.module.css';
import type { StopReason } from './view-bridge.ts';

const STOPPED: Readonly<Record<StopReason, string>> = {
  frozen: 'The view has not answered for three seconds: it hangs, or it has crashed.',
  flood: 'The view sent more messages than this page can take.',
  left: 'The view tried to leave its place on this page.',
  absent: 'The view could not be loaded from the host.',
  browser: 'This browser cannot keep a view away from the network. Use a current Chrome, Edge, Firefox or Safari.',
};

/** Marks the question whether a page of the web is opened. */
const OWN_QUESTION = 'data-view-question';

/** The screen that the version of the bot brings along, in its cage. */
export function View({ bot }: TabProps) {
  const { data, error, loading } = useViewDocument(bot);
  const [round, setRound] = useState(0);
  const [stopped, setStopped] = useState<StopReason | null>(null);
  const again = (): void => {
    setStopped(null);
    setRound((before) => before + 1);
  };
  // One that was stopped says nothing about another version.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` is what changes
  useEffect(() => setStopped(null), [bot.version]);
  if (data === null)
    return loading || error === null ? <Skeleton label="Loading the view" /> : <ErrorNote error={error} />;
  if (data.html === null) {
    return (
      <Empty title={`Version ${data.version} brings no view along`}>
        <p>
          A package may hold a screen of its own, <code>view/index.html</code>, which is then shown here.
        </p>
      </Empty>
    );
  }
  if (stopped !== null) {
    return (
      <div className={styles.view}>
        <div className={styles.bar} role="alert">
          <ShieldAlert className={styles.icon} aria-hidden="true" />
          <p className={styles.words}>
            <strong>The view was stopped.</strong> {STOPPED[stopped]} Below is what Bot Platform shows of the bot.
          </p>
          <Button icon={<RotateCw aria-hidden="true" />} onClick={again}>
            Show it again
          </Button>
        </div>
        <Overview bot={bot} />
      </div>
    );
  }
  return <Shown key={`${data.version} ${round}`} bot={bot} html={data.html} onAgain={again} onStop={setStopped} />;
}

interface ShownProps extends TabProps {
  readonly html: string;
  readonly onAgain: () => void;
  readonly onStop: (reason: StopReason) => void;
}

function Shown({ bot, html, onAgain, onStop }: ShownProps) {
  const link = useLinkQuestion();
  // A browser lets a frame take the keyboard at any time: while somebody may type a PIN, there is none. The view's own question
  // takes no text.
  const isCovered = useOpenDialog(`[${OWN_QUESTION}]`);
  return (
    <div className={styles.view}>
      <div className={styles.bar}>
        <ShieldAlert className={styles.icon} aria-hidden="true" />
        <p className={styles.words}>
          <strong>Drawn by the bot,</strong> not by Bot Platform. It reads this bot alone and changes nothing. Enter no
          password, PIN or key in it.
        </p>
        <Button kind="quiet" icon={<RotateCw aria-hidden="true" />} onClick={onAgain}>
          Reload the view
        </Button>
      </div>
      {isCovered ? (
        <p className={`${styles.frame} ${styles.waiting}`}>
          The view starts again when no window of this page is open.
        </p>
      ) : (
        <Frame bot={bot} html={html} openLink={link.ask} onStop={onStop} />
      )}
      <Confirm
        open={link.url !== null}
        title="Open a page of the web?"
        label="Open the page"
        danger={false}
        onConfirm={() => link.answer(true)}
        onCancel={() => link.answer(false)}
      >
        <p>
          The view of {bot.name} asks to open a page of <strong>{link.url?.host}</strong> in a new tab. What the view
          knows of the bot may stand in the address:
        </p>
        <p className={styles.address} {...{ [OWN_QUESTION]: '' }}>
          {link.url?.href}
        </p>
      </Confirm>
    </div>
  );
}

interface FrameProps extends Omit<ShownProps, 'onAgain'> {
  readonly openLink: (url: URL) => Promise<boolean>;
}

function Frame({ bot, html, openLink, onStop }: FrameProps) {
  const frame = useFrame({ botId: bot.bot_id, html, openLink, onStop });
  return (
    <iframe
      ref={frame}
      className={styles.frame}
      title={`View of ${bot.name}`}
      src={VIEW_CAGE_PATH}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
    />
  );
}

interface Asked {
  readonly url: URL;
  readonly answer: (isYes: boolean) => void;
}

/** The question before a link of a view is opened: one at a time. */
function useLinkQuestion() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const open = useRef<Asked | null>(null);
  open.current = asked;
  // A view that is gone opens nothing.
  useEffect(() => () => open.current?.answer(false), []);
  return {
    url: asked?.url ?? null,
    ask: (url: URL) => new Promise<boolean>((resolve) => setAsked({ url, answer: resolve })),
    answer: (isYes: boolean): void => {
      if (isYes && asked !== null) window.open(asked.url.href, '_blank', 'noopener,noreferrer');
      asked?.answer(isYes);
      setAsked(null);
    },
  };
}
