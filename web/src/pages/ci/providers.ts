/** Names of the providers, and how their fields are filled in. */
import type { Policy } from "../../api/ci.ts";

export type Provider = Policy["provider"];

export const providers: Record<Provider, { name: string; refHelp: string; repositoryHelp: string }> = {
  github: {
    name: "GitHub Actions",
    repositoryHelp: "owner/name, or owner/* for all repositories of an owner.",
    refHelp: "Full ref, such as refs/heads/main or refs/tags/v*. * stands for any text.",
  },
  gitlab: {
    name: "GitLab CI",
    repositoryHelp: "Path of the project, or group/* for the projects of a group.",
    refHelp: "Branch, or a full ref such as refs/tags/v*. * stands for any text.",
  },
};
