import { colourName, dashOf } from './line-style.ts';

/** The colour and dash pattern of a line, beside its name. */
export function Swatch({ styleIndex }: { readonly styleIndex: number }) {
  return (
    <svg width="20" height="8" viewBox="0 0 20 8" aria-hidden="true">
      <path
        d="M0 4H20"
        fill="none"
        stroke={`var(${colourName(styleIndex)})`}
        strokeWidth="2"
        strokeDasharray={dashOf(styleIndex).join(' ')}
      />
    </svg>
  );
}
