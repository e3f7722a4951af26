import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import styles from './splitter.module.css';

const STEP_PX = 16;

interface SplitterProps {
  /** Name of the part that the splitter resizes. */
  readonly label: string;
  /** Direction of the line: a vertical one is moved to the left and right. */
  readonly line: 'vertical' | 'horizontal';
  /** -1: the resized part is after the line, and grows when the line moves back. */
  readonly grows: 1 | -1;
  /** All in pixels. */
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Size after a double click. */
  readonly usual: number;
  readonly onChange: (px: number) => void;
  /** Called with the final size: the pointer was let go, or a key pressed. */
  readonly onDone: (px: number) => void;
}

/** Line between two parts of a page, moved by pointer or arrow keys. Home and End go to the limits. */
export function Splitter({ label, line, grows, value, min, max, usual, onChange, onDone }: SplitterProps) {
  const held = useRef<{ readonly from: number; readonly value: number } | null>(null);
  const within = (px: number): number => Math.round(Math.max(min, Math.min(max, px)));
  const placeOf = (event: PointerEvent): number => (line === 'vertical' ? event.clientX : event.clientY);
  const moved = (event: PointerEvent): number | null =>
    held.current === null ? null : within(held.current.value + grows * (placeOf(event) - held.current.from));
  const set = (px: number): void => {
    onChange(within(px));
    onDone(within(px));
  };
  const [back, on] = line === 'vertical' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
  const onKey = (event: KeyboardEvent): void => {
    const to = new Map([
      [back, value - grows * STEP_PX],
      [on, value + grows * STEP_PX],
      ['Home', min],
      ['End', max],
    ]).get(event.key);
    if (to === undefined) return;
    event.preventDefault();
    set(to);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line of text cannot be moved
    <div
      role="separator"
      aria-label={label}
      aria-orientation={line}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      className={styles.splitter}
      data-line={line}
      onKeyDown={onKey}
      onDoubleClick={() => set(usual)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        event.currentTarget.focus();
        held.current = { from: placeOf(event), value };
      }}
      onPointerMove={(event) => {
        const to = moved(event);
        if (to !== null) onChange(to);
      }}
      onPointerUp={(event) => {
        const to = moved(event);
        held.current = null;
        if (to !== null && to !== value) onChange(to);
        if (to !== null) onDone(to);
      }}
      onPointerCancel={() => {
        held.current = null;
      }}
    />
  );
}
