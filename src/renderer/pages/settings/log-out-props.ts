/** Properties of every part of the settings. */
export interface LogOutProps {
  readonly onOut: () => void;
}
