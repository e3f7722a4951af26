import { shortRun } from './short-run.ts';
import { botConfig } from './targets/bot-config.ts';
import { commandLine } from './targets/command-line.ts';
import { cron } from './targets/cron.ts';
import { lines } from './targets/lines.ts';
import { packages } from './targets/package.ts';
import { schema } from './targets/schema.ts';
import { spool } from './targets/spool.ts';
import { state } from './targets/state.ts';

shortRun(lines, 500);
shortRun(cron, 300);
shortRun(botConfig, 120);
shortRun(schema, 20);
shortRun(packages, 40);
shortRun(commandLine, 300);
shortRun(spool, 5);
shortRun(state, 100);
