/** Words for what became of a setting or a file between two versions. */
export const CHANGE_KINDS = { added: 'New', removed: 'Gone', changed: 'Changed' } as const;
