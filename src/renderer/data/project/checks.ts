import { toHostError } from '../host-error.ts';
import { isDirty } from './open-file-state.ts';
import type { SessionParts } from './state.ts';

/** Texts that the host reads to judge a project; others say nothing about whether it is valid. */
const READ = /\.json$|\.py$|^bot-config\.yaml$/;
const QUIET_MS = 250;
const MOST_MS = 1000;
/** All texts of a check must fit into one message, beside the paths of what is open. */
const OVERLAY_BYTES = 700_000;
const MOST_FILES = 100;

const bytesOf = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length;

/** Asks the host for the project's problems during typing. */
export class Checks {
  readonly #parts: SessionParts;
  #asked = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** After a change of a text; what the host does not read needs no look. */
  typed(path: string): void {
    if (READ.test(path)) this.soon();
  }

  soon(): void {
    this.#parts.later.do('check', QUIET_MS, MOST_MS, () => this.#check());
  }

  async #check(): Promise<void> {
    const { project, socket, store } = this.#parts;
    this.#asked += 1;
    const mine = this.#asked;
    const files = [...store.getState().files.values()].filter(({ path }) => READ.test(path));
    let left = OVERLAY_BYTES;
    const overlays = files.filter(isDirty).flatMap(({ path, text }) => {
      const bytes = bytesOf(text);
      if (bytes > left) return [];
      left -= bytes;
      return [{ path, content: text }];
    });
    const input = {
      project_id: project.project_id,
      overlays: overlays.slice(0, MOST_FILES),
      open: files.map(({ path }) => path).slice(0, MOST_FILES),
    };
    try {
      const { problems, warnings } = await socket.read('projects.check', input);
      if (mine === this.#asked) store.setState({ isChecked: true, problems, warnings });
    } catch (thrown) {
      if (toHostError(thrown).code !== 'CONNECTION_LOST') throw thrown;
    }
  }
}
