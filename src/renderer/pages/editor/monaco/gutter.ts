import * as monaco from 'monaco-editor/editor.js';
import styles from './gutter.module.css';

type Marker = Pick<monaco.editor.IMarker, 'severity' | 'message' | 'startLineNumber'>;

/** The gravest marker of each line; hints and notes are not shown in the gutter. */
export function gravestByLine(markers: readonly Marker[]): ReadonlyMap<number, Marker> {
  const byLine = new Map<number, Marker>();
  for (const marker of markers) {
    if (marker.severity < monaco.MarkerSeverity.Warning) continue;
    const known = byLine.get(marker.startLineNumber);
    if (known === undefined || marker.severity > known.severity) byLine.set(marker.startLineNumber, marker);
  }
  return byLine;
}

/** Marks lines with problems beside their numbers; takes and gives the ids of the decorations. */
export function markGutter(
  model: monaco.editor.ITextModel,
  before: readonly string[],
  markers: readonly Marker[],
): string[] {
  const decorations = [...gravestByLine(markers)].map(([line, { severity, message }]) => ({
    range: new monaco.Range(line, 1, line, 1),
    options: {
      description: 'problem',
      linesDecorationsClassName: (severity === monaco.MarkerSeverity.Error ? styles.wrong : styles.odd) ?? null,
      linesDecorationsTooltip: message,
      stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
    },
  }));
  return model.deltaDecorations([...before], decorations);
}
