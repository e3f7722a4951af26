import type { FuzzTarget } from './target.ts';
import { blocks } from './targets/blocks.ts';
import { botConfig } from './targets/bot-config.ts';
import { commandLine } from './targets/command-line.ts';
import { cron } from './targets/cron.ts';
import { gateHttp, gateSocks, gateTls } from './targets/gate-inputs.ts';
import { lines } from './targets/lines.ts';
import { masker } from './targets/masker.ts';
import { packages } from './targets/package.ts';
import { schema } from './targets/schema.ts';
import { spool } from './targets/spool.ts';
import { state } from './targets/state.ts';

/** Readers that need no host. */
export const PLAIN_TARGETS: readonly FuzzTarget[] = [
  lines,
  masker,
  cron,
  botConfig,
  schema,
  packages,
  commandLine,
  spool,
  state,
  blocks,
  gateHttp,
  gateSocks,
  gateTls,
];
