/** The files of a package: those of a folder, or with an editor's unsaved texts in place of some. */
export interface PackageSource {
  readonly paths: readonly string[];
  /** The bytes of one of `paths`; with `most`, the first of them. */
  read(path: string, most?: number): Promise<Buffer>;
}
