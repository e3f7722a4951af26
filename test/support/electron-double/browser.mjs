import { launchChromium } from './chromium.mjs';

/** What the modules of the double share: Chromium, and the windows in it. */
class Browser {
  chromium = null;
  windows = new Map();
  contents = new Map();
  #attached = new Map();

  /** Answers for a page that another page has opened; set by contents.mjs. */
  onPopup = () => undefined;

  get tools() {
    return this.chromium.tools;
  }

  #attachedTo(targetId) {
    let attached = this.#attached.get(targetId);
    if (attached === undefined) {
      attached = Promise.withResolvers();
      this.#attached.set(targetId, attached);
    }
    return attached;
  }

  async launch(onGone) {
    this.chromium = await launchChromium();
    const { tools } = this;
    tools.on('closed', onGone);
    tools.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const session = tools.session(sessionId);
      // Chromium has pages of its own, which must not wait for us.
      const isOurs = targetInfo.type === 'page' && !targetInfo.url.startsWith('chrome://');
      if (isOurs && targetInfo.openerId === undefined) {
        this.#attachedTo(targetInfo.targetId).resolve(session);
      } else if (isOurs) {
        void this.onPopup(targetInfo, session);
      } else {
        // Workers and the like run on as they are.
        void session.send('Runtime.runIfWaitingForDebugger').catch(() => undefined);
      }
    });
    tools.on('Target.targetDestroyed', ({ targetId }) => {
      for (const window of [...this.windows.values()]) if (window._targetId === targetId) window._gone();
    });
    await tools.send('Target.setDiscoverTargets', { discover: true });
    await tools.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
  }

  /** A new page that waits to be run; its id and its session. */
  async newPage({ width, height }) {
    const { targetId } = await this.tools.send('Target.createTarget', {
      url: 'about:blank',
      newWindow: true,
      width,
      height,
    });
    return { targetId, session: await this.#attachedTo(targetId).promise };
  }
}

export const browser = new Browser();
