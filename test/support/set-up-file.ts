import { afterAll } from 'vitest';
import { endFile } from './file-end.ts';
import { useKeyFolder } from './key-folder.ts';

useKeyFolder();
afterAll(endFile);
