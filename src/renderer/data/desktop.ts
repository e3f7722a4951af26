import { useCallback, useEffect, useState } from 'react';
import type {
  DesktopAnswer,
  DesktopBridge,
  DesktopChange,
  DesktopHost,
  DesktopSettings,
} from '../../contract/desktop-bridge.ts';
import { toHostError } from './host-error.ts';

declare global {
  interface Window {
    /** Set by the preload script of the desktop app, before any script of the page runs. */
    readonly desktop?: DesktopBridge;
  }
}

/** The desktop app around this page; null in a browser. */
export function desktopApp(): DesktopBridge | null {
  return window.desktop ?? null;
}

/** Returns the state of the desktop app's host; null in a browser, and before the first answer. */
export function useDesktopHost(): DesktopHost | null {
  const [host, setHost] = useState<DesktopHost | null>(null);
  useEffect(() => {
    const app = desktopApp();
    if (app === null) return;
    let isTold = false;
    const stop = app.onHost((now) => {
      isTold = true;
      setHost(now);
    });
    void app.host().then((now) => {
      // An event received meanwhile is newer.
      if (!isTold) setHost(now);
    });
    return stop;
  }, []);
  return host;
}

/** Error of the desktop app, with the change that failed; without a change the page knows no settings. */
export interface DesktopProblem {
  readonly change?: DesktopChange;
  readonly error: NonNullable<DesktopAnswer['problem']>;
}

export interface DesktopControls {
  /** Settings as the app reports them; null before its first answer. */
  readonly settings: DesktopSettings | null;
  readonly problem: DesktopProblem | null;
  /** The change in progress, if any. */
  readonly changing: DesktopChange | null;
  readonly change: (change: DesktopChange) => void;
}

function errorOf(thrown: unknown): DesktopProblem['error'] {
  const { message, hint } = toHostError(thrown);
  return { code: 'INTERNAL', message, hint };
}

/** Returns the settings of the desktop app around this page, and follows their changes. */
export function useDesktopSettings(app: DesktopBridge): DesktopControls {
  const [settings, setSettings] = useState<DesktopSettings | null>(null);
  const [problem, setProblem] = useState<DesktopProblem | null>(null);
  const [changing, setChanging] = useState<DesktopChange | null>(null);
  useEffect(() => {
    const read = (): void => {
      app.settings().then(setSettings, (thrown: unknown) => setProblem({ error: errorOf(thrown) }));
    };
    const stop = app.onSettings(setSettings);
    read();
    // The user may have changed settings of the system while another window was in front.
    window.addEventListener('focus', read);
    return () => {
      stop();
      window.removeEventListener('focus', read);
    };
  }, [app]);
  const change = useCallback(
    (wanted: DesktopChange): void => {
      setChanging(wanted);
      setProblem(null);
      app
        .change(wanted)
        .then(
          (answer) => {
            setSettings(answer.settings);
            setProblem(answer.problem === null ? null : { change: wanted, error: answer.problem });
          },
          (thrown: unknown) => setProblem({ change: wanted, error: errorOf(thrown) }),
        )
        .finally(() => setChanging(null));
    },
    [app],
  );
  return { settings, problem, changing, change };
}
