/** The file that defines a pipeline, as identity tokens and trust policies name it. */
import type { CiProvider } from "../../contract/vocabulary.ts";

export interface PipelineDefinition {
  repository: string;
  file: string;
  /** Full name of a ref, or a commit. */
  ref: string;
}

/** The form in which a policy names a file: one of the repository of the run, or one of another repository. */
export const definitionForms: Record<CiProvider, RegExp> = {
  github: /^(?:([^/\s@]+\/[^/\s@]+)\/)?(\.github\/workflows\/[^/\s@]+\.ya?ml)(?:@(\S+))?$/,
  gitlab: /^(?:([^/\s@]+(?:\/[^/\s@]+)+)\/\/)?([^/\s@]+(?:\/[^/\s@]+)*)(?:@(\S+))?$/,
};

const separators: Record<CiProvider, string> = { github: "/", gitlab: "//" };

/**
 * The definition in a claim: `owner/name/file@ref` at GitHub, `host/group/project//file@ref` at GitLab. A text of
 * another form has no repository, so that no policy accepts it.
 */
export function readDefinition(issuer: string, provider: CiProvider, text: string): PipelineDefinition {
  const [location, ref] = splitRef(text);
  if (provider === "github") {
    const [, repository = "", file = ""] = /^([^/]+\/[^/]+)\/(.+)$/.exec(location) ?? [];
    return { repository, file, ref };
  }
  const [, path = "", file = ""] = /^[^/]+\/(.+?)\/\/(.+)$/.exec(location) ?? [];
  const root = new URL(issuer).pathname.replace(/^\/|\/$/g, "");
  return { repository: path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path, file, ref };
}

/** Files of workflows at GitHub have no slash in their names, so that none can look like another file and its ref. */
function splitRef(text: string): [location: string, ref: string] {
  const first = text.indexOf("@refs/");
  const at = first === -1 ? text.lastIndexOf("@") : first;
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

export const isIn = ({ repository }: PipelineDefinition, other: string) =>
  repository.toLowerCase() === other.toLowerCase();

/** The text by which a policy for a repository names a definition at any ref. */
export function definitionName(provider: CiProvider, definition: PipelineDefinition, own: string): string {
  const { repository, file } = definition;
  return isIn(definition, own) ? file : `${repository}${separators[provider]}${file}`;
}

/** Repository, file and ref pattern in a policy's `workflow`; the repository is that of the run if none is named. */
export function parseWorkflow(provider: CiProvider, workflow: string, own: string): PipelineDefinition {
  const [, repository = own, file = "", ref = "*"] = definitionForms[provider].exec(workflow) ?? [];
  return { repository, file, ref };
}
