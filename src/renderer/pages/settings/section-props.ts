/** Properties of every part of the settings. */
export interface SectionProps {
  readonly onOut: () => void;
}
