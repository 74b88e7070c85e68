/** Edits of generated files, which `write.ts` makes. */
import type { SmallFile } from "../../store/types.ts";

/** `skills/README.md`, which is replaced only if the service wrote it. */
export interface IndexEdit {
  kind: "index";
  data: Buffer;
}

export interface MarketplaceEdit {
  kind: "marketplace";
  /** Paths of the skills that it may list. */
  skills: readonly string[];
  /** The files for those of the skills that the branch has; undefined removes what the service wrote. */
  content: ((present: ReadonlySet<string>) => Promise<MarketplaceContent>) | undefined;
}

export type GeneratedEdit = IndexEdit | MarketplaceEdit;

export interface MarketplaceContent {
  /** By path: one for each of `marketplacePaths`. */
  files: ReadonlyMap<string, Buffer>;
  plugins: readonly PluginFolder[];
}

/** A folder in `pluginsFolder`. */
export interface PluginFolder {
  slug: string;
  /** Paths are relative to the folder. */
  files: readonly SmallFile[];
  /** Path of the skill whose directory is `skills/<slug>` in it: the same objects, without a copy. */
  skill: string | undefined;
}

/** Folders of plugins, for tools that read a skill only inside a folder with a manifest. */
export const pluginsFolder = ".agents/plugins/svc";
