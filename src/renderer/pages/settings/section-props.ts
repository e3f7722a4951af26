/** What every part of the settings is given. */
export interface SectionProps {
  readonly onOut: () => void;
}
