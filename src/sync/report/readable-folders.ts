/** Folders whose skills a caller may read, null for the root; or all skills, wherever they are. */
export type ReadableFolders = "all" | readonly (string | null)[];
