/**
 * Shapes of secrets, as data. A rule is tried only where one of its keywords stands: its pattern must begin there (a
 * look-behind may see up to 256 characters before) and sees `reach` characters from there on; a match that fills them
 * goes on to the end of the value. It masks the last group that matched, which must be at the end of the match, or the
 * whole match without groups.
 */
export interface MaskRule {
  readonly id: string;
  /** Lower case; found in any case. */
  readonly keywords: readonly string[];
  readonly source: string;
  readonly flags: '' | 'i';
  /** Characters from the keyword's start on that the pattern may look at, at most 1024. */
  readonly reach: number;
  /** An alphabet: its characters right before the match are masked as well. */
  readonly before?: string;
  /**
   * One of these texts is at the start of each match, in this exact case, outside of any longer word: a check cheaper
   * than the pattern, for keywords that are short or common.
   */
  readonly begins?: readonly string[];
  /** A text that every match contains, searched within `reach` first. */
  readonly needs?: string;
}
