import { expect, it } from 'vitest';
import { createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import { PendingRows } from '../../../../../src/main/host/logs/pending-rows.ts';
import { rowsOfLines } from '../../../../support/block-rows.ts';

it("hides a bot's secrets in what the host says in its log: why a start failed may repeat its config", () => {
  const rows = new PendingRows();
  const [level, runId] = ['error', 'run_1'] as const;
  rows.addHostLine({ level, message: 'No such program: /opt/S3cr3t-Value-1234567890/run', runId });
  rows.takeHostLines(createBotMasker(['S3cr3t-Value-1234567890']), 1000, () => false);
  expect(rowsOfLines(rows.logs)).toMatchObject([
    { seq: 1, ts: 1000, run: runId, line: 'No such program: /opt/***/run' },
  ]);
});
