/** Documents of folders and of their tree, and their indexes. */
import type { FolderLevel, PrincipalType } from "../../contract/vocabulary.ts";
import type { WithOutbox } from "../outbox.ts";
export interface FolderGrant {
  type: PrincipalType;
  /** Id of a team or user. */
  id: string;
  level: FolderLevel;
}

export interface FolderDoc {
  _id: string;
  tenantId: string;
  parentId: string | null;
  slug: string;
  name: string;
  restricted: boolean;
  grants: FolderGrant[];
  /** Set for personal workspaces: the folder of all of them, or the one of a member. */
  managed?: { kind: "root" } | { kind: "workspace"; userId: string };
  /** Set during its deletion: nothing can be added to it. */
  closing?: boolean;
  deletedAt?: Date;
  /** Revision of the tree at which this folder changed last. */
  revision: number;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** A folder, without the grants on it. */
export type FolderNode = Omit<FolderDoc, "grants">;

export interface FolderTreeDoc extends WithOutbox {
  /** The organization's id. */
  _id: string;
  revision: number;
  /** Folders of the last change, until they are copied to `folders`. */
  change?: FolderDoc[];
  /** Folders whose skills may have outdated effective access. */
  outdated?: string[];
  /** Revision up to which deleted folders are removed: older cached trees are read again. */
  prunedRevision?: number;
}

export type TreeState = Pick<FolderTreeDoc, "_id" | "revision" | "change" | "prunedRevision">;
