/** One step of a longer action; `note` says how far it is. */
export interface Step {
  readonly label: string;
  readonly state: 'waiting' | 'going' | 'done' | 'failed';
  readonly note?: string | undefined;
}
