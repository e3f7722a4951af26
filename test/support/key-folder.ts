import { tempDir } from './temp.ts';

/** Has every host that the tests of a file start keep its keys in a folder that goes with them. */
export function useKeyFolder(): void {
  process.env.PLATFORM_KEY_FOLDER = tempDir('platform-keys-');
}
