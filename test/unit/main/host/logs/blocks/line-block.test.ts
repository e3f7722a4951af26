import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineBlock, LineBlockBuilder } from '../../../../../../src/main/host/logs/blocks/line-block.ts';
import { addLines, idOfRun, lineRuns, newLine } from '../../../../../support/block-rows.ts';

function linesOf(plain: Buffer): unknown[] {
  const block = new LineBlock(Buffer.from(plain));
  return Array.from({ length: block.count }, (_, at) => block.line(at));
}

describe('a block of lines', () => {
  it('gives back every line as it was added', () => {
    const builder = new LineBlockBuilder();
    fc.assert(
      fc.property(lineRuns, (lines) => {
        builder.clear();
        addLines(builder, lines.map(newLine));
        expect(linesOf(builder.build(idOfRun).plain)).toEqual(lines);
      }),
    );
  });

  it('is the same whether lines come one by one or in blocks', () => {
    fc.assert(
      fc.property(lineRuns, fc.nat(), (lines, cut) => {
        const at = lines.length === 0 ? 0 : cut % lines.length;
        const [whole, first, both] = [new LineBlockBuilder(), new LineBlockBuilder(), new LineBlockBuilder()];
        addLines(whole, lines.map(newLine));
        addLines(first, lines.slice(0, at).map(newLine));
        both.addBlock(new LineBlock(Buffer.from(first.build(idOfRun).plain)));
        addLines(both, lines.map(newLine), at);
        expect(both.build(idOfRun).plain.equals(whole.build(idOfRun).plain)).toBe(true);
      }),
    );
  });

  it('is refused when bytes are missing, or more than its rows', () => {
    const builder = new LineBlockBuilder();
    addLines(builder, [{ seq: 7, ts: 1, meta: 1, run: '1', line: 'bought', time: null, fields: '{"n":1}' }]);
    const plain = Buffer.from(builder.build(idOfRun).plain);
    for (let length = 0; length < plain.length; length++) {
      expect(() => new LineBlock(plain.subarray(0, length)), `${length} bytes`).toThrow(/block/);
    }
    expect(() => new LineBlock(Buffer.concat([plain, Buffer.of(0)]))).toThrow('more than its rows');
  });

  it('takes no memory for lines that its bytes cannot hold', () => {
    expect(() => new LineBlock(Buffer.from([255, 255, 255, 255, 127]))).toThrow('more rows than it holds');
  });
});
