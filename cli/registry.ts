/** All commands by name; each is loaded when it is called. */
import type { Command } from "./command.ts";

/** Groups of commands in help, in this order. */
export const topics = [
  "Use skills",
  "Publish skills",
  "Keep a project's skills",
  "Run an organization",
  "You and this machine",
] as const;
export type Topic = (typeof topics)[number];

export interface CommandEntry {
  summary: string;
  load(): Promise<Command>;
}

/** Commands that share a first word. */
export interface CommandGroup {
  summary: string;
  commands: Readonly<Record<string, CommandEntry>>;
  /** The command that runs for the group's name alone. */
  default?: string;
}

export const commands: Readonly<Record<string, (CommandEntry | CommandGroup) & { topic: Topic }>> = {
  login: {
    topic: "You and this machine",
    summary: "Log in through the browser, or with a token",
    load: async () => (await import("./commands/machine/login.ts")).login,
  },
  logout: {
    topic: "You and this machine",
    summary: "Remove the stored token and revoke it on the service",
    load: async () => (await import("./commands/machine/logout.ts")).logout,
  },
  whoami: {
    topic: "You and this machine",
    summary: "Show who you are logged in as",
    load: async () => (await import("./commands/machine/whoami.ts")).whoami,
  },
  install: {
    topic: "Use skills",
    summary: "Install a skill into your AI tools",
    load: async () => (await import("./commands/use/install.ts")).install,
  },
  uninstall: {
    topic: "Use skills",
    summary: "Remove an installed skill from all tools",
    load: async () => (await import("./commands/use/uninstall.ts")).uninstall,
  },
  pull: {
    topic: "Use skills",
    summary: "Update installed skills",
    load: async () => (await import("./commands/use/pull.ts")).pull,
  },
  list: {
    topic: "Use skills",
    summary: "List skills of your organizations, the catalog, or what is installed",
    load: async () => (await import("./commands/use/list.ts")).list,
  },
  search: {
    topic: "Use skills",
    summary: "Search the skills of your organizations and the public catalog",
    load: async () => (await import("./commands/use/search.ts")).search,
  },
  info: {
    topic: "Use skills",
    summary: "Show a skill's versions, files, readers and installs",
    load: async () => (await import("./commands/use/info.ts")).info,
  },
  open: {
    topic: "Use skills",
    summary: "Open a skill's page in the browser",
    load: async () => (await import("./commands/use/open.ts")).open,
  },
  outdated: {
    topic: "Use skills",
    summary: "List installed skills that svc pull would update",
    load: async () => (await import("./commands/use/outdated.ts")).outdated,
  },
  versions: {
    topic: "Use skills",
    summary: "List the published versions of a skill",
    load: async () => (await import("./commands/use/versions.ts")).versions,
  },
  diff: {
    topic: "Use skills",
    summary: "Show what changed between two versions of a skill",
    load: async () => (await import("./commands/use/diff.ts")).diff,
  },
  mcp: {
    topic: "Use skills",
    summary: "Put MCP servers of your organizations into your AI tools",
    commands: {
      list: {
        summary: "List the MCP servers of your organizations, with the tools that have them",
        load: async () => (await import("./commands/mcp/list.ts")).mcpList,
      },
      install: {
        summary: "Write an MCP server into the configuration of your AI tools",
        load: async () => (await import("./commands/mcp/install.ts")).mcpInstall,
      },
      uninstall: {
        summary: "Remove an MCP server from the configuration of your AI tools",
        load: async () => (await import("./commands/mcp/uninstall.ts")).mcpUninstall,
      },
      pull: {
        summary: "Update installed MCP servers to the revision that the registry has",
        load: async () => (await import("./commands/mcp/pull.ts")).mcpPull,
      },
    },
  },
  marketplace: {
    topic: "Use skills",
    summary: "Show how tools install skills as plugins from a marketplace",
    load: async () => (await import("./commands/use/marketplace.ts")).marketplace,
  },
  publish: {
    topic: "Publish skills",
    summary: "Publish a file or folder as a skill, or as its next version",
    load: async () => (await import("./commands/publish/publish.ts")).publish,
  },
  share: {
    topic: "Publish skills",
    summary: "Share a file or folder by link, without an account",
    load: async () => (await import("./commands/publish/share.ts")).share,
  },
  push: {
    topic: "Publish skills",
    summary: "Add a version to an existing skill, without questions",
    load: async () => (await import("./commands/publish/push.ts")).push,
  },
  restore: {
    topic: "Keep a project's skills",
    summary: "Install into a project exactly what its svc.lock has",
    load: async () => (await import("./commands/project/restore.ts")).restore,
  },
  verify: {
    topic: "Keep a project's skills",
    summary: "List deviations from what was installed, or from svc.lock",
    load: async () => (await import("./commands/project/verify.ts")).verify,
  },
  lint: {
    topic: "Publish skills",
    summary: "Check skills before they are published",
    load: async () => (await import("./commands/publish/lint.ts")).lint,
  },
  folders: {
    topic: "Publish skills",
    summary: "List and create the folders of an organization",
    default: "list",
    commands: {
      list: {
        summary: "List the folders that you can see",
        load: async () => (await import("./commands/publish/folders.ts")).foldersList,
      },
      create: {
        summary: "Create a folder and missing parent folders",
        load: async () => (await import("./commands/publish/folders.ts")).foldersCreate,
      },
    },
  },
  move: {
    topic: "Publish skills",
    summary: "Move a skill to another folder of its organization",
    load: async () => (await import("./commands/publish/move.ts")).move,
  },
  visibility: {
    topic: "Publish skills",
    summary: "Choose who can read a skill, with all its versions",
    load: async () => (await import("./commands/publish/visibility.ts")).visibility,
  },
  revert: {
    topic: "Publish skills",
    summary: "Make an earlier version of a skill current, as it is",
    load: async () => (await import("./commands/publish/revert.ts")).revert,
  },
  edit: {
    topic: "Publish skills",
    summary: "Change a skill's name, description, tags or visibility",
    load: async () => (await import("./commands/publish/edit.ts")).edit,
  },
  delete: {
    topic: "Publish skills",
    summary: "Delete a skill with all its versions, permanently",
    load: async () => (await import("./commands/publish/delete.ts")).deleteSkill,
  },
  token: {
    topic: "You and this machine",
    summary: "List, create and revoke your API tokens",
    commands: {
      list: {
        summary: "List your API tokens, newest first",
        load: async () => (await import("./commands/machine/token.ts")).tokenList,
      },
      create: {
        summary: "Create a personal API token, and print its secret once",
        load: async () => (await import("./commands/machine/token.ts")).tokenCreate,
      },
      revoke: {
        summary: "Revoke an API token at once",
        load: async () => (await import("./commands/machine/token.ts")).tokenRevoke,
      },
    },
  },
  auth: {
    topic: "You and this machine",
    summary: "Lend your login to programs that ask for it",
    commands: {
      header: {
        summary: "Print the headers of your login as JSON, for tools that run a command for them",
        load: async () => (await import("./commands/machine/auth.ts")).authHeader,
      },
      git: {
        summary: "Answer Git as a credential helper, for the service of your login",
        load: async () => (await import("./commands/machine/auth.ts")).authGit,
      },
    },
  },
  api: {
    topic: "You and this machine",
    summary: "Call the REST interface with your login, and print the response",
    load: async () => (await import("./commands/machine/api.ts")).api,
  },
  sync: {
    topic: "Run an organization",
    summary: "Sync the skills of an organization with a Git repository",
    default: "status",
    commands: {
      status: {
        summary: "Show the connected repository, and the problems of its sync",
        load: async () => (await import("./commands/sync/status.ts")).syncStatus,
      },
      plan: {
        summary: "Show what the next sync, or a new connection, would change",
        load: async () => (await import("./commands/sync/plan.ts")).syncPlan,
      },
      connect: {
        summary: "Connect a Git repository, and request the first sync",
        load: async () => (await import("./commands/sync/connect.ts")).syncConnect,
      },
      run: {
        summary: "Sync everything now, and wait for the end",
        load: async () => (await import("./commands/sync/run.ts")).syncRun,
      },
      conflicts: {
        summary: "List skills that had changed on both sides, with what to do",
        load: async () => (await import("./commands/sync/conflicts.ts")).syncConflicts,
      },
    },
  },
  audit: {
    topic: "Run an organization",
    summary: "List what was done by you, or in an organization",
    load: async () => (await import("./commands/organizations/audit.ts")).audit,
  },
  org: {
    topic: "Run an organization",
    summary: "List and create organizations, and manage their members",
    commands: {
      list: {
        summary: "List the organizations that you belong to",
        load: async () => (await import("./commands/organizations/org.ts")).orgList,
      },
      create: {
        summary: "Create an organization, which you own",
        load: async () => (await import("./commands/organizations/org.ts")).orgCreate,
      },
      members: {
        summary: "List members, with their roles and teams",
        load: async () => (await import("./commands/organizations/org-members.ts")).orgMembers,
      },
      invite: {
        summary: "Invite people by e-mail",
        load: async () => (await import("./commands/organizations/org-invite.ts")).orgInvite,
      },
      remove: {
        summary: "Remove a member",
        load: async () => (await import("./commands/organizations/org-members.ts")).orgRemove,
      },
    },
  },
  team: {
    topic: "Run an organization",
    summary: "List and create teams, and manage their members",
    commands: {
      list: {
        summary: "List the teams of an organization",
        load: async () => (await import("./commands/organizations/team.ts")).teamList,
      },
      create: {
        summary: "Create a team; its roles add to those of its members",
        load: async () => (await import("./commands/organizations/team.ts")).teamCreate,
      },
      members: {
        summary: "List the members of a team",
        load: async () => (await import("./commands/organizations/team-members.ts")).teamMembers,
      },
      add: {
        summary: "Add a member of the organization to a team",
        load: async () => (await import("./commands/organizations/team-members.ts")).teamAdd,
      },
      remove: {
        summary: "Remove a member from a team; they stay in the organization",
        load: async () => (await import("./commands/organizations/team-members.ts")).teamRemove,
      },
      delete: {
        summary: "Delete a team; its members lose what they had by it",
        load: async () => (await import("./commands/organizations/team.ts")).teamDelete,
      },
    },
  },
  access: {
    topic: "Run an organization",
    summary: "Show and change who can read and change skills and folders",
    commands: {
      show: {
        summary: "Show who can read and change a skill or folder, and why",
        load: async () => (await import("./commands/organizations/access-show.ts")).accessShow,
      },
      grant: {
        summary: "Grant members and teams access to a restricted folder, or revoke it",
        load: async () => (await import("./commands/organizations/access-grant.ts")).accessGrant,
      },
      restrict: {
        summary: "Restrict a folder to those with a grant, or lift its restriction",
        load: async () => (await import("./commands/organizations/access-restrict.ts")).accessRestrict,
      },
    },
  },
  doctor: {
    topic: "You and this machine",
    summary: "Check the set-up of this machine, with a remedy for each problem",
    load: async () => (await import("./commands/machine/doctor.ts")).doctor,
  },
  profile: {
    topic: "You and this machine",
    summary: "Keep several logins, each with its own installed skills",
    commands: {
      list: {
        summary: "List the profiles, the active one marked",
        load: async () => (await import("./commands/machine/profile.ts")).profileList,
      },
      create: {
        summary: "Create a profile, with no login and nothing installed",
        load: async () => (await import("./commands/machine/profile.ts")).profileCreate,
      },
      switch: {
        summary: "Activate a profile",
        load: async () => (await import("./commands/machine/profile.ts")).profileSwitch,
      },
      delete: {
        summary: "Delete a profile, with its login, preferences and installed skills",
        load: async () => (await import("./commands/machine/profile.ts")).profileDelete,
      },
    },
  },
  upgrade: {
    topic: "You and this machine",
    summary: "Install the version of svc that your service offers",
    load: async () => (await import("./commands/machine/upgrade.ts")).upgrade,
  },
  completion: {
    topic: "You and this machine",
    summary: "Print the completion script of a shell",
    load: async () => (await import("./commands/machine/completion.ts")).completion,
  },
};

export function isGroup(entry: CommandEntry | CommandGroup): entry is CommandGroup {
  return "commands" in entry;
}

/** Every command under its full name (`folders create`). */
export function listCommands(): [name: string, entry: CommandEntry][] {
  return Object.entries(commands).flatMap(([name, entry]): [string, CommandEntry][] =>
    isGroup(entry)
      ? Object.entries(entry.commands).map(([sub, command]) => [`${name} ${sub}`, command])
      : [[name, entry]],
  );
}
