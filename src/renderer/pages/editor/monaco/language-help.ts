/** Help of a language server with the files of one project. */
export interface LanguageHelp {
  /** The text of a file is shown now: so are findings in it from before. */
  shown(path: string): void;
  close(): void;
}
