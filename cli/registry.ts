/** Every command, by name; each is loaded when it is called. */
import type { Command } from "./command.ts";

export interface CommandEntry {
  summary: string;
  load(): Promise<Command>;
}

export const commands: Readonly<Record<string, CommandEntry>> = {
  login: {
    summary: "Log in through the browser, or with a token",
    load: async () => (await import("./commands/login.ts")).login,
  },
  logout: {
    summary: "Forget the stored token",
    load: async () => (await import("./commands/logout.ts")).logout,
  },
  whoami: {
    summary: "Show who you are logged in as",
    load: async () => (await import("./commands/whoami.ts")).whoami,
  },
  install: {
    summary: "Install a skill into your AI tools",
    load: async () => (await import("./commands/install.ts")).install,
  },
  uninstall: {
    summary: "Remove an installed skill from all tools",
    load: async () => (await import("./commands/uninstall.ts")).uninstall,
  },
  pull: {
    summary: "Bring installed skills up to date",
    load: async () => (await import("./commands/pull.ts")).pull,
  },
  list: {
    summary: "List skills of your organizations, the catalog, or what is installed",
    load: async () => (await import("./commands/list.ts")).list,
  },
  versions: {
    summary: "List the published versions of a skill",
    load: async () => (await import("./commands/versions.ts")).versions,
  },
  publish: {
    summary: "Publish a file or folder as a skill",
    load: async () => (await import("./commands/publish.ts")).publish,
  },
  push: {
    summary: "Add a version to an existing skill, without questions",
    load: async () => (await import("./commands/push.ts")).push,
  },
};
