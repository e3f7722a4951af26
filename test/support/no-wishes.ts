import { join } from 'node:path';
import { Wishes } from '../../src/main/host/control/wishes.ts';
import { tempDir } from './temp.ts';

/** The wishes of a disk that was never full. */
export const noWishes = (): Wishes => new Wishes(join(tempDir('wishes-'), 'wishes'));
