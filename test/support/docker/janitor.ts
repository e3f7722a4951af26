// A process of its own beside each run that uses the daemon of the tests: nothing else can stop it after a kill -9.
import { tidyUpAfter } from './suite-daemon.ts';

await tidyUpAfter(process.argv[2] ?? '');
