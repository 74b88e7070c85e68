/** Everything that features offer to agents; `src/api.ts` collects it. */
import type { Actor } from "../../access/actor.ts";
import type { Tool } from "./tool.ts";

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  /** At most 100 values that begin with what was typed. */
  complete?(actor: Actor, typed: string): Promise<string[]>;
}

export interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** The text of the one message, from the user. Arguments that are required are present. */
  render(actor: Actor, given: Readonly<Record<string, string>>): Promise<string>;
}

/** A skill as an entry of the Skills extension. A type, so that it has the index signature that the protocol's have. */
export type SkillEntry = {
  uri: string;
  frontmatter: { name: string; description: string; [key: string]: unknown };
  resources: { uri: string; digest: string; size: number }[];
  _meta?: Record<string, unknown>;
};

export type FileContent = { text: string; mimeType: string } | { bytes: Uint8Array; mimeType: string };

/** A file, or a directory with the type `inode/directory`. */
export type ResourceEntry = { uri: string; name: string; mimeType: string; size?: number };

export interface ResourcePage {
  resources: ResourceEntry[];
  nextCursor?: string;
}

/** Skills and their files as resources. Undefined stands for what does not exist, or what the caller may not see. */
export interface SkillResources {
  list(actor: Actor, cursor: string | undefined): Promise<{ skills: SkillEntry[]; nextCursor?: string }>;
  get(actor: Actor, uri: string): Promise<SkillEntry | undefined>;
  read(actor: Actor, uri: string): Promise<FileContent | undefined>;
  readDirectory(actor: Actor, uri: string, cursor: string | undefined): Promise<ResourcePage | undefined>;
}

export interface Surface {
  tools: readonly Tool[];
  prompts: readonly Prompt[];
  skills: SkillResources;
}
