import type { ChartLine } from './chart-elements.ts';
import { dashOf, type Palette } from './line-style.ts';

const HEAD = 44;

/** Puts a chart with its title and the names of its lines on one picture, as it is shown. */
export function toPicture(
  chart: HTMLCanvasElement,
  title: string,
  lines: readonly ChartLine[],
  palette: Palette,
): Promise<Blob | null> {
  const ratio = devicePixelRatio;
  const picture = document.createElement('canvas');
  picture.width = chart.width + 24 * ratio;
  picture.height = chart.height + (HEAD + 12) * ratio;
  const context = picture.getContext('2d');
  if (context === null) return Promise.resolve(null);
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(chart, 12 * ratio, HEAD * ratio);
  context.scale(ratio, ratio);
  context.fillStyle = palette.text;
  context.textBaseline = 'middle';
  context.font = `600 13px ${palette.font}`;
  context.fillText(title, 16, HEAD / 2);
  let x = 16 + context.measureText(title).width + 20;
  context.font = `12px ${palette.font}`;
  context.lineWidth = 2;
  for (const { label, styleIndex } of lines) {
    context.strokeStyle = palette.lines[styleIndex % palette.lines.length] ?? palette.text;
    context.setLineDash([...dashOf(styleIndex)]);
    context.beginPath();
    context.moveTo(x, HEAD / 2);
    context.lineTo(x + 20, HEAD / 2);
    context.stroke();
    context.fillText(label, x + 26, HEAD / 2);
    x += 26 + context.measureText(label).width + 18;
  }
  return new Promise((resolve) => picture.toBlob(resolve, 'image/png'));
}
