import { startApp } from './desktop/start-app.ts';

startApp();
