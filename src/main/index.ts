import { startShell } from './electron/shell.ts';

startShell();
