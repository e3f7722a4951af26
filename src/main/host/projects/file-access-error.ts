import { PlatformError } from '../../../contract/errors.ts';
import { systemErrorCode } from '../../../node/system-error.ts';

/** Runs `work` and turns missing permissions into an error that names the file. */
export async function withRights<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      const hint = 'Change its rights; the host works as the user who has started it.';
      throw new PlatformError('FORBIDDEN', `The system does not let the host touch ${path} (${code})`, { hint });
    }
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new PlatformError('STORAGE_FULL');
    if (code === 'EXDEV') {
      const hint = 'Move it with a file manager, or in a terminal.';
      throw new PlatformError('FORBIDDEN', `${path} lies on another disk than the rest of the project`, { hint });
    }
    throw error;
  }
}
