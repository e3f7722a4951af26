import { type RefObject, useLayoutEffect, useRef } from 'react';
import { useHost } from '../../../data/connection-and-user.ts';
import { type StopReason, ViewBridge } from './view-bridge.ts';
import { readContext } from './view-context.ts';

/** How often a view has to show that it is there, and how often it may fail to before it counts as frozen. */
const PING_MS = 1000;
const MOST_MISSED = 3;
/** Pings within which the cage of a view must have loaded. */
const MOST_MISSED_AT_START = 15;

const READY = 'ui/notifications/sandbox-proxy-ready';

interface Frame {
  readonly botId: string;
  readonly html: string;
  readonly openLink: (url: URL) => Promise<boolean>;
  readonly onStop: (reason: StopReason) => void;
}

/** Asks a view again and again whether it is there, for as long as the page is looked at. `port` is null until it has begun. */
function watch(port: () => MessagePort | null, stop: (reason: StopReason) => void): () => void {
  let known: MessagePort | null = null;
  // Counted and not timed: a machine that slept has missed nothing.
  let missed = 0;
  const answered = (): void => {
    missed = 0;
  };
  const ping = (): void => {
    const at = port();
    if (at !== known || document.visibilityState !== 'visible') missed = 0;
    if (at !== null) at.onmessage = answered;
    known = at;
    missed += 1;
    if (missed > (at === null ? MOST_MISSED_AT_START : MOST_MISSED)) stop(at === null ? 'absent' : 'frozen');
    else at?.postMessage(null);
  };
  const timer = setInterval(ping, PING_MS);
  return () => clearInterval(timer);
}

/** Shows a view in its cage: sends it there, answers its messages, and tells when it has to be stopped. */
export function useFrame({ botId, html, openLink, onStop }: Frame): RefObject<HTMLIFrameElement | null> {
  const { socket } = useHost();
  const ref = useRef<HTMLIFrameElement>(null);
  const latest = useRef({ openLink, onStop });
  latest.current = { openLink, onStop };
  // Before the cage can have loaded: it says only once that it has.
  useLayoutEffect(() => {
    const frame = ref.current;
    const inside = frame?.contentWindow;
    if (frame === null || inside === null || inside === undefined) return;
    let port: MessagePort | null = null;
    const stop = (reason: StopReason): void => latest.current.onStop(reason);
    const bridge = new ViewBridge({
      botId,
      socket,
      // A document without an origin has no other address. Only the cage can be in this frame.
      post: (message) => inside.postMessage(message, '*'),
      openLink: (url) => latest.current.openLink(url),
      context: () => readContext(document.documentElement),
      stop,
      now: () => performance.now(),
    });
    const begin = (params: unknown): void => {
      const isUnfit = typeof params === 'object' && params !== null && 'cannot' in params;
      // The cage loads once for a view. A second time means that the view has left it, or loaded it again.
      if (isUnfit || port !== null) {
        stop(isUnfit ? 'browser' : 'left');
        return;
      }
      const channel = new MessageChannel();
      port = channel.port1;
      const message = { jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html } };
      inside.postMessage(message, '*', [channel.port2]);
    };
    const receive = (event: MessageEvent): void => {
      if (event.source !== inside) return;
      const data: unknown = event.data;
      const isReady = typeof data === 'object' && data !== null && 'method' in data && data.method === READY;
      if (isReady) begin('params' in data ? data.params : null);
      else if (port !== null) bridge.receive(data);
    };
    const looks = new MutationObserver(() => bridge.contextChanged());
    looks.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    window.addEventListener('message', receive);
    const endWatch = watch(() => port, stop);
    return () => {
      window.removeEventListener('message', receive);
      looks.disconnect();
      endWatch();
      bridge.close();
      port?.close();
    };
  }, [socket, botId, html]);
  return ref;
}
