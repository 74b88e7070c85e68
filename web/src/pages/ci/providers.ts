/** Names of the providers, and how their fields are filled in. */
import type { Policy } from "../../api/organization/ci.ts";

export type Provider = Policy["provider"];

interface ProviderTexts {
  name: string;
  repositoryHelp: string;
  refHelp: string;
  workflowHelp: string;
  /** Further events that a policy can name. */
  events: string[];
}

export const providers: Record<Provider, ProviderTexts> = {
  github: {
    name: "GitHub Actions",
    repositoryHelp: "owner/name, or owner/* for all repositories of an owner.",
    refHelp: "Full ref, such as refs/heads/main or refs/tags/v*. * stands for any text.",
    workflowHelp:
      ".github/workflows/publish.yml, or owner/name/.github/workflows/publish.yml for a reusable workflow. Leave it empty for all files of the repository.",
    events: ["pull_request", "merge_group", "repository_dispatch", "workflow_run", "issue_comment"],
  },
  gitlab: {
    name: "GitLab CI",
    repositoryHelp: "Path of the project, or group/* for the projects of a group.",
    refHelp: "Branch, or a full ref such as refs/tags/v*. * stands for any text.",
    workflowHelp:
      ".gitlab-ci.yml, or group/project//publish.yml for a file of another project. Leave it empty for all files of the project.",
    events: ["merge_request_event", "external_pull_request_event", "trigger", "pipeline", "parent_pipeline"],
  },
};
