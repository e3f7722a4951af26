/** Media types under which a package may be sent; the host looks at its first bytes to tell its kind. */
export const PACKAGE_TYPES = [
  'application/gzip',
  'application/x-gzip',
  'application/x-tar',
  'application/zip',
  'application/x-zip-compressed',
  'application/octet-stream',
] as const;
