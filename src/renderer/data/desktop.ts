import { useEffect, useState } from 'react';
import type { DesktopBridge, DesktopHost } from '../../contract/desktop.ts';

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

/** How the desktop app stands with its host; null in a browser, and before the first answer. */
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
      // What was told meanwhile is newer.
      if (!isTold) setHost(now);
    });
    return stop;
  }, []);
  return host;
}
