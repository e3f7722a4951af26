// Tells which functions run while an entry is loaded, as the engine counts them: what its text seems to call proves nothing.
import { createRequire } from 'node:module';
import process from 'node:process';

/** Counting makes code slow, and the top level of a bot may last as long as the bot. */
const MOST_MS = 1000;

const lengthOf = ({ startOffset, endOffset }) => endOffset - startOffset;
const isWithin = (one, other) =>
  lengthOf(other) > lengthOf(one) && other.startOffset <= one.startOffset && one.endOffset <= other.endOffset;

/** The functions that run from `begin` to `stop`, or in a second. Knows of none where Node has no inspector, or may not use it. */
export class Calls {
  #session;
  #timer;
  #isOver = false;
  #scripts = [];

  /** `onLate` is called at the end of the second if nobody has stopped the count by then. */
  begin(onLate) {
    if (!process.features.inspector) return;
    const { Session } = createRequire(import.meta.url)('node:inspector');
    const session = new Session();
    try {
      session.connect();
    } catch (error) {
      if (error.code !== 'ERR_ACCESS_DENIED') throw error;
      return;
    }
    this.#session = session;
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });
    this.#timer = setTimeout(() => {
      this.stop();
      onLate();
    }, MOST_MS).unref();
  }

  stop() {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session?.post('Profiler.takePreciseCoverage', (_, coverage) => {
      this.#scripts = (coverage?.result ?? []).filter(({ url }) => !url.startsWith('node:'));
    });
    this.#session?.post('Profiler.disable');
  }

  /**
   * Whether this function has run, if it stands at the top level of a file: the engine does not tell apart what one expression
   * within a function has made several times.
   */
  include(value) {
    const text = Function.prototype.toString.call(value);
    return this.#scripts.some(({ scriptId, functions }) => {
      // The first one is the file.
      const [, ...ranges] = functions.map((one) => one.ranges[0]);
      const alike = ranges.filter(
        (range) =>
          range.count > 0 && lengthOf(range) === text.length && !ranges.some((other) => isWithin(range, other)),
      );
      if (alike.length === 0) return false;
      const source = this.#sourceOf(scriptId);
      return alike.some(({ startOffset, endOffset }) => source.slice(startOffset, endOffset) === text);
    });
  }

  #sourceOf(scriptId) {
    let source = '';
    this.#session.post('Debugger.enable');
    this.#session.post('Debugger.getScriptSource', { scriptId }, (_, found) => {
      source = found?.scriptSource ?? '';
    });
    return source;
  }

  close() {
    this.#session?.disconnect();
  }
}
