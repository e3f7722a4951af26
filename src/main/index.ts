import { startShell } from './desktop/desktop-app.ts';

startShell();
