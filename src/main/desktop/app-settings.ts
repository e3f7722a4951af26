import { z } from 'zod';
import type { DesktopAnswer, DesktopChange, DesktopSettings } from '../../contract/desktop-bridge.ts';
import { PlatformError } from '../../contract/errors.ts';
import { writeFileAtomic } from '../../node/atomic-write.ts';
import { errorText } from '../../node/system-error.ts';
import type { CommandControl } from './command-on-path.ts';
import { readAs } from './read-if-there.ts';
import type { Updates } from './updates.ts';

/** Settings in the app's own file; the system keeps the others. */
const Kept = z.object({ notifications: z.boolean() });
type Kept = z.infer<typeof Kept>;

const USUAL: Kept = { notifications: true };

/** Requests that a page may send; anything else is refused. */
const Change = z.union([
  z.strictObject({ starts_at_login: z.boolean() }),
  z.strictObject({ notifications: z.boolean() }),
  z.strictObject({ command: z.boolean() }),
  z.strictObject({ update: z.enum(['check', 'install']) }),
]) satisfies z.ZodType<DesktopChange>;

export interface AppSettingsParts {
  readonly file: string;
  readonly version: string;
  readonly updates: Pick<Updates, 'state' | 'check'>;
  startsAtLogin(): boolean;
  setStartsAtLogin(on: boolean): Promise<void>;
  readonly command: CommandControl;
  /** Asks the person, and installs the fetched version. */
  installUpdate(): void;
  changed(): void;
  onError(where: string, error: unknown): void;
}

/** Settings of the app on this machine. Those that the system keeps are read from the system each time. */
export class AppSettings {
  readonly #parts: AppSettingsParts;
  #kept: Kept;

  constructor(parts: AppSettingsParts) {
    this.#parts = parts;
    this.#kept = readAs(Kept, parts.file) ?? USUAL;
  }

  get notifications(): boolean {
    return this.#kept.notifications;
  }

  read(): DesktopSettings {
    const { version, updates } = this.#parts;
    return {
      version,
      starts_at_login: this.#parts.startsAtLogin(),
      notifications: this.#kept.notifications,
      command: this.#parts.command.now(),
      update: updates.state,
    };
  }

  /** Carries out a page's request. Never rejects: a refusal of the system becomes the answer's problem. */
  async change(asked: unknown): Promise<DesktopAnswer> {
    const change = Change.parse(asked);
    try {
      await this.#do(change);
      return { settings: this.read(), problem: null };
    } catch (error) {
      this.#parts.onError('settings', error);
      const { code, message, hint } =
        error instanceof PlatformError ? error : new PlatformError('INTERNAL', errorText(error), { hint: LOOK });
      return { settings: this.read(), problem: { code, message, hint } };
    } finally {
      this.#parts.changed();
    }
  }

  async #do(change: DesktopChange): Promise<void> {
    if ('starts_at_login' in change) await this.#parts.setStartsAtLogin(change.starts_at_login);
    else if ('command' in change) await this.#parts.command.set(change.command);
    else if ('notifications' in change) await this.#keep({ notifications: change.notifications });
    else if (change.update === 'check') await this.#parts.updates.check();
    else this.#parts.installUpdate();
  }

  async #keep(kept: Kept): Promise<void> {
    await writeFileAtomic(this.#parts.file, `${JSON.stringify(kept)}\n`);
    this.#kept = kept;
  }
}

const LOOK = 'Nothing was changed. File, Show the log files has more.';
