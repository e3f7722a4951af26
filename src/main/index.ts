import { startShell } from './desktop/shell.ts';

startShell();
