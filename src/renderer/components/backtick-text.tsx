/** A text of the host or of a set-up with what stands in backticks as code. */
export function Ticked({ text }: { readonly text: string }) {
  const parts = text.split('`');
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
